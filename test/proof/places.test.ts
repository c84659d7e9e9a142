import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/kernel/clock.ts'
import { createProofPlaces } from '../../src/proof/places/proof-places.ts'
import { openRecord, settleInterrupted } from '../../src/proof/places/records.ts'
import { git, NODE, until, write } from '../sandbox/support.ts'
import { temporaryFolder } from '../support/folders.ts'
import { type House, house, newProof } from './support.ts'

function places(h: House, more: { keep?: boolean } = {}) {
  const record = openRecord(h.state, { proof: newProof(), git: '/r/.git' })
  return createProofPlaces({ ...h, git: h.repository.git, clock: systemClock, project: 'prj_x', record, ...more })
}

describe('F-6 a proof place', () => {
  test('holds exactly the files of the commit: modes, links, odd names, conversions; submodules empty', async () => {
    const h = house({ 'a b/c.txt': 'c', 'run.sh': '#!/bin/sh\n', 'crlf.txt': 'x\n', '.gitattributes': 'crlf.txt eol=crlf\n' })
    chmodSync(join(h.root, 'run.sh'), 0o755)
    symlinkSync('run.sh', join(h.root, 'link'))
    git(h.root, 'init', '-q', 'inside')
    git(join(h.root, 'inside'), 'commit', '-q', '--allow-empty', '-m', 'x')
    git(h.root, 'add', '-A')
    git(h.root, 'commit', '-qm', 'more')
    write(h.root, { untracked: 'u' })
    const { make, close } = places(h)
    const { path } = await make(git(h.root, 'rev-parse', 'HEAD'))
    expect(readdirSync(path).sort()).toEqual(['.git', '.gitattributes', 'a b', 'crlf.txt', 'inside', 'link', 'run.sh'])
    expect([statSync(join(path, 'run.sh')).mode & 0o111, readlinkSync(join(path, 'link')), readdirSync(join(path, 'inside'))]).toEqual([
      0o111,
      'run.sh',
      [],
    ])
    expect(readFileSync(join(path, 'crlf.txt'), 'utf8')).toBe('x\r\n')
    expect(git(path, 'status', '--porcelain')).toBe('')
    await close()
  })

  test('holds every file, although the checkout shows a part only', async () => {
    const h = house({ 'in/a': 'a', 'out/b': 'b' })
    git(h.root, 'sparse-checkout', 'set', 'in')
    const { make, close } = places(h)
    const { path } = await make(git(h.root, 'rev-parse', 'HEAD'))
    expect(existsSync(join(path, 'out/b'))).toBe(true)
    await close()
  })

  test('is removed with all that a command has put or closed in it, also while it is being made', async () => {
    const h = house()
    const { make, close, list } = places(h)
    const one = await make(git(h.root, 'rev-parse', 'HEAD'))
    mkdirSync(join(one.path, 'deep/closed'), { recursive: true })
    writeFileSync(join(one.path, 'deep/closed/file'), 'x')
    chmodSync(join(one.path, 'deep/closed'), 0o500)
    const other = make(git(h.root, 'rev-parse', 'HEAD'))
    await close()
    const { path } = await other
    expect([existsSync(one.path), existsSync(one.scratch), existsSync(path), list()]).toEqual([false, false, false, []])
  })
})

describe('F-41 a proof that was killed', () => {
  test('leaves a record by which the next start removes its folders and tells it as interrupted, once', async () => {
    const { state } = house()
    const place = join(state, 'places/prj_x/run_y')
    const outside = join(temporaryFolder(), 'precious')
    for (const folder of [place, outside]) mkdirSync(folder, { recursive: true })
    const proof = newProof()
    const script = `
      import { openRecord } from ${JSON.stringify(join(import.meta.dirname, '../../src/proof/places/records.ts'))}
      const record = openRecord(${JSON.stringify(state)}, ${JSON.stringify({ proof, git: '/r/.git' })})
      for (const path of ${JSON.stringify([place, outside, state])}) record.note(path)
      process.stdout.write('up')
      setInterval(() => undefined, 1000)`
    const child = spawn(NODE, ['--input-type=module-typescript', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'], timeout: 20_000 })
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    const told: string[] = []
    const settle = (git = '/r/.git') => settleInterrupted({ state, git }, one => Promise.resolve(void told.push(one)))
    expect([await settle(), existsSync(place)]).toEqual([[], true])
    child.kill('SIGKILL')
    await once(child, 'exit')
    await until(() => child.exitCode !== null || child.signalCode !== null)
    expect([await settle('/other/.git'), existsSync(place)]).toEqual([[], true])
    expect([await settle(), existsSync(place), existsSync(outside), existsSync(state)]).toEqual([[proof], false, true, true])
    expect([await settle(), told]).toEqual([[], [proof]])
  })

  test('stays recorded while telling it fails', async () => {
    const { state } = house()
    const proof = newProof()
    write(state, { [`proofs/${proof}.999999999-1`]: '/r/.git\n' })
    await expect(settleInterrupted({ state, git: '/r/.git' }, () => Promise.reject(new Error('no store')))).rejects.toThrow('no store')
    expect(await settleInterrupted({ state, git: '/r/.git' }, () => Promise.resolve())).toEqual([proof])
  })
})
