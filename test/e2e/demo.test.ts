import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { atTerminal, BIN, cleanEnv, qed } from '../support/qed.ts'

const BWRAP = execFileSync('sh', ['-c', 'command -v bwrap'], { encoding: 'utf8' }).trim()

interface Demo {
  ok: boolean
  steps: { name: string; ok: boolean; ms: number; shown: string }[]
}
const left = (): string[] => readdirSync(tmpdir()).filter(name => name.startsWith('qed-demo-'))

test('the demo refuses the lie, proves the work, and leaves nothing behind', { timeout: 60_000 }, async () => {
  const before = left()
  const { exit, stdout } = await qed(['demo', '--json'], { timeout: 30_000 })
  const { ok, steps } = JSON.parse(stdout) as Demo
  expect(steps.filter(step => !step.ok)).toEqual([])
  expect([exit, ok]).toEqual([0, true])
  expect(steps.map(({ shown }) => shown)).toEqual([
    expect.stringContaining('bubblewrap'),
    expect.stringMatching(/^exit 1/),
    expect.stringMatching(/^refused, as it must be: judge\.test-changed, test\.weakened/),
    expect.stringMatching(/^proven: .*changed src\/total\.js; signed by [0-9a-f]{16}$/),
    expect.stringMatching(/^valid/),
    expect.stringMatching(/^refused, as it must be: tampered/),
    expect.stringMatching(/^refused, as it must be: stale/),
    expect.stringMatching(/^\d+ events/),
  ])
  expect(left()).toEqual(before)
})

test('on a terminal it is told as it happens: that the model is scripted, the calls, the findings, the verdict', {
  timeout: 60_000,
}, async () => {
  const screen = atTerminal(`${BIN} demo`, cleanEnv(), temporaryFolder())
  const early = await screen.until(/assert\.ok\(total/)
  expect(early).toContain('Its words come from a script: no model, no network.')
  expect(early).not.toContain('not proven')
  const { exit, shown } = await screen.ended
  const order = [
    '1/8',
    'edit test/total.test.js',
    'All tests pass.',
    'not proven',
    'test.weakened',
    'round 2',
    'edit src/total.js',
    'red before, green after',
    'tampered',
    'all 8 steps held',
  ]
  expect(order.map(word => shown.indexOf(word))).toEqual(order.map(word => shown.indexOf(word)).toSorted((a, b) => a - b))
  expect(order.filter(word => !shown.includes(word))).toEqual([])
  expect(exit).toBe(0)
})

test('in a pipe it is plain text, and --stream ends with what --json prints', { timeout: 60_000 }, async () => {
  const { stdout } = await qed(['demo'], { timeout: 30_000 })
  expect(stdout).toContain('all 8 steps held')
  expect(stdout).not.toContain('\x1b')
  const lines = (await qed(['demo', '--stream'], { timeout: 30_000 })).stdout.trimEnd().split('\n')
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ type: 'result', final: true, data: { ok: true } })
})

test('without bubblewrap it says so first, and what to do', async () => {
  const hidden = ['bwrap', '--dev-bind', '/', '/', '--ro-bind', '/dev/null', BWRAP, '--', BIN]
  const { exit, stdout } = await qed(['demo', '--json'], { command: hidden })
  const { ok, steps } = JSON.parse(stdout) as Demo
  expect([exit, ok, steps.length]).toEqual([1, false, 1])
  expect(steps[0]?.shown).toMatch(/bubblewrap.*The demo runs commands in a sandbox and needs it\. .*apt-get install bubblewrap/)
})

test('U-17 Ctrl-C ends it and leaves nothing behind', { timeout: 60_000 }, async () => {
  const before = left()
  const screen = atTerminal(`${BIN} demo`, cleanEnv(), temporaryFolder())
  await screen.until(/edit test\/total\.test\.js/)
  screen.type('\x03')
  expect((await screen.ended).exit).toBe(130)
  expect(left()).toEqual(before)
})
