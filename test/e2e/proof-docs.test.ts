import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withFindings } from '../../scripts/findings-table.ts'
import { configKeys } from '../../src/project/config/keys.ts'
import { PREPARE_ROWS } from '../../src/proof/prepare/commands.ts'
import { temporaryFolder } from '../support/folders.ts'
import { DONE, TEST, type Work, workIn } from '../support/proving.ts'
import { BIN } from '../support/qed.ts'

// What the pages tell people to use, used.

const page = (name: string): string => readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8')

test('the page about proofs names every finding, lock file and setting there is', () => {
  const text = page('proof.md')
  expect(text).toBe(withFindings(text))
  for (const { lock } of PREPARE_ROWS) expect(text).toContain(`\`${lock}\``)
  const keys = configKeys.filter(({ key }) => key.startsWith('proof.'))
  for (const { key } of keys) expect(text).toContain(`| \`${key}\` |`)
})

/** The environment of a work with `qed` on the PATH. */
function withQed({ env }: Work): Record<string, string> {
  const bin = temporaryFolder()
  symlinkSync(BIN, join(bin, 'qed'))
  return { ...env, PATH: `${bin}:${env['PATH']}` }
}

test('the pre-push hook refuses what is not proven, and lets proven work, notes and deletions through', { timeout: 90_000 }, () => {
  const script = /<!-- test: pre-push -->\n```sh\n([\s\S]*?)```/.exec(page('pre-push-hook.md'))?.[1] ?? ''
  const work = workIn()
  const remote = join(temporaryFolder(), 'remote.git')
  execFileSync('git', ['init', '--quiet', '--bare', remote])
  work.git('branch', '--move', '--force', 'main')
  work.git('remote', 'add', 'origin', remote)
  work.git('push', '--quiet', 'origin', 'main')
  const hook = join(work.root, '.git/hooks/pre-push')
  writeFileSync(hook, script)
  chmodSync(hook, 0o755)
  const env = withQed(work)
  const push = (...refs: string[]) =>
    spawnSync('git', ['push', 'origin', ...refs], { cwd: work.root, env, encoding: 'utf8', timeout: 60_000 })
  const there = (): string => execFileSync('git', ['-C', remote, 'for-each-ref', '--format=%(refname) %(objectname)'], { encoding: 'utf8' })

  const before = there()
  work.write({ 'src/greeting': 'good day\n' })
  work.commit('undone')
  expect(push('main')).toMatchObject({ status: 1, stderr: expect.stringContaining('git config qed.command') })
  work.git('config', 'qed.command', TEST.join(' '))
  expect(push('main')).toMatchObject({ status: 1, stderr: expect.stringMatching(/not proven[\s\S]*Not pushed: refs\/heads\/main/) })
  expect(there()).toBe(before)

  work.write(DONE)
  const done = work.commit('done')
  expect(push('main', 'main:refs/heads/topic')).toMatchObject({ status: 0 })
  expect(there()).toContain(`refs/heads/main ${done}`)
  expect(push('refs/notes/qed')).toMatchObject({ status: 0 })
  expect(push('--delete', 'topic')).toMatchObject({ status: 0 })
  expect(there()).toMatch(/refs\/notes\/qed/)
  expect(there()).not.toContain('topic')
})

test('the steps of the GitHub workflow prove a branch and leave both reports', { timeout: 60_000 }, () => {
  const steps = [...page('github-action.md').matchAll(/- name: (Prove|Summary)[\s\S]*?run: (?:\|\n((?: {10}.*\n)+)|(.*)\n)/g)]
  expect(steps.map(([, name]) => name)).toEqual(['Prove', 'Summary'])
  const work = workIn({
    'package.json': '{ "scripts": { "test": "sh test/greeting.test.sh" } }',
    'src/greeting': 'hullo\n',
    'test/greeting.test.sh': 'grep -q hello src/greeting\n',
  })
  const base = work.git('rev-parse', 'HEAD')
  work.write(DONE)
  work.commit('done')
  const summary = join(temporaryFolder(), 'summary.md')
  const env = { ...withQed(work), BASE: base, CI: 'true', GITHUB_STEP_SUMMARY: summary }
  for (const [, , block, line] of steps) {
    const { status, stderr } = spawnSync('bash', ['-e', '-c', block ?? line ?? ''], {
      cwd: work.root,
      env,
      encoding: 'utf8',
      timeout: 50_000,
    })
    expect([status, stderr]).toEqual([0, expect.any(String)])
  }
  expect(readFileSync(summary, 'utf8')).toMatch(/^### ✅ Proven/)
  expect(existsSync(join(work.root, 'qed.sarif'))).toBe(true)
})
