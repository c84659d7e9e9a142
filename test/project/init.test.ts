import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { personalFolders } from '../../src/project/folders.ts'
import { carryOutInit, planInit } from '../../src/project/init.ts'
import { findProject, findRepository } from '../../src/project/root.ts'
import { readServerFile, removeServerFile, writeServerFile } from '../../src/project/server-file.ts'
import { handClock } from '../support/clock.ts'
import { temporaryFolder, temporaryRepository } from '../support/folders.ts'

const options = { clock: handClock() }

describe('init', () => {
  test('U-48 doing it twice is doing it once', () => {
    const root = temporaryRepository()
    const first = carryOutInit(planInit(root, options))
    expect(first.written).toEqual(['.qed/.gitignore', '.qed/project.json', '.qed/config.json', '.qed/config.schema.json'])
    expect(carryOutInit(planInit(root, options))).toEqual({ project: first.project, written: [] })
  })

  test('only what is missing is added; what a person wrote stays', () => {
    const root = temporaryRepository()
    mkdirSync(join(root, '.qed'))
    writeFileSync(join(root, '.qed/config.json'), '{ "mode": "plan" } // mine')
    expect(carryOutInit(planInit(root, options)).written).not.toContain('.qed/config.json')
    expect(readFileSync(join(root, '.qed/config.json'), 'utf8')).toBe('{ "mode": "plan" } // mine')
  })

  test('git sees what is shared and nothing of what is not', () => {
    const root = temporaryRepository()
    carryOutInit(planInit(root, options))
    for (const name of ['qed.db', 'qed.db-wal', 'server.json', 'policy.local.json']) writeFileSync(join(root, '.qed', name), '')
    const seen = execFileSync('git', ['-C', root, 'status', '--porcelain', '--untracked-files=all'], { encoding: 'utf8' })
      .split('\n')
      .filter(Boolean)
    expect(seen.map(line => line.slice(3)).sort()).toEqual(['.qed/.gitignore', '.qed/config.json', '.qed/project.json'])
  })

  test('a folder outside every repository is refused with the way on', () => {
    expect(() => planInit(temporaryFolder(), options)).toThrow(
      expect.objectContaining({ code: 'not_found', next: expect.objectContaining({ command: 'git init' }) }),
    )
  })

  test('two plans made at the same time end as one project', () => {
    const root = temporaryRepository()
    const plans = [planInit(root, options), planInit(root, options)]
    const [a, b] = plans.map(carryOutInit)
    expect(b?.project).toEqual(a?.project)
  })
})

describe('finding a project', () => {
  test('from any folder inside it, by its real path', () => {
    const root = temporaryRepository()
    carryOutInit(planInit(root, { ...options, name: 'shop' }))
    mkdirSync(join(root, 'a/b'), { recursive: true })
    expect(findProject(join(root, 'a/b'))).toMatchObject({ root, name: 'shop' })
  })

  test('a worktree is a repository of its own', () => {
    const root = temporaryRepository()
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', root, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { stdio: 'ignore' })
    git('commit', '--allow-empty', '-m', 'first')
    const tree = join(temporaryFolder(), 'tree')
    git('worktree', 'add', tree)
    expect(findRepository(tree)).toBe(tree)
  })

  test('a project file that was damaged is reported, never replaced', () => {
    const root = temporaryRepository()
    mkdirSync(join(root, '.qed'))
    writeFileSync(join(root, '.qed/project.json'), '{ "id": 7')
    expect(() => findProject(root)).toThrow(expect.objectContaining({ code: 'invalid_input' }))
    expect(() => planInit(root, options)).toThrow(expect.objectContaining({ code: 'invalid_input' }))
  })
})

describe('RPC-2 the server file', () => {
  const file = { pid: process.pid, port: 1, token: 't', version: '1', started_at: 'now', url: 'http://127.0.0.1:1' }
  test('of a process that is gone counts as none', () => {
    const folder = temporaryFolder()
    writeServerFile(folder, { ...file, pid: 2 ** 22 + 1 })
    expect(readServerFile(folder)).toBeNull()
    writeServerFile(folder, file)
    expect(readServerFile(folder)).toEqual(file)
  })

  test('is taken away by its own server only', () => {
    const folder = temporaryFolder()
    writeServerFile(folder, file)
    removeServerFile(folder, file.pid + 1)
    expect(existsSync(join(folder, 'server.json'))).toBe(true)
    removeServerFile(folder, file.pid)
    expect(existsSync(join(folder, 'server.json'))).toBe(false)
  })
})

test.each([
  ['linux', {}, '/home/u/.config/qed', '/home/u/.local/share/qed'],
  ['linux', { XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: '/d' }, '/c/qed', '/d/qed'],
  ['linux', { XDG_DATA_HOME: 'relative' }, '/home/u/.config/qed', '/home/u/.local/share/qed'],
  ['darwin', {}, '/home/u/Library/Application Support/qed', '/home/u/Library/Application Support/qed'],
] as const)('U-42 on %s with %j a person’s config is in %s and data in %s', (platform, env, config, data) => {
  expect(personalFolders({ HOME: '/home/u', ...env }, platform)).toMatchObject({ config, data })
})
