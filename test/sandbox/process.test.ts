import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runProcess } from '../../src/sandbox/process.ts'

const sh = (script: string, timeoutMs = 5000) => runProcess({ command: 'sh', args: ['-c', script], timeoutMs })

test('all that a process wrote before it ended is there', async () => {
  const runs = await Promise.all(Array.from({ length: 30 }, () => sh('echo out; echo err >&2; exit 3')))
  expect(runs).toEqual(runs.map(() => ({ kind: 'exited', exit: 3, stdout: 'out\n', stderr: 'err\n' })))
})

test('a background child neither holds the answer up nor survives it', async () => {
  const outcome = await sh('sleep 60 & echo $!')
  expect(outcome).toMatchObject({ kind: 'exited', exit: 0 })
  const pid = Number('stdout' in outcome ? outcome.stdout : 0)
  await expect.poll(() => isAlive(pid)).toBe(false)
})

test('a process that takes too long is ended with all its children', async () => {
  expect(await sh('sleep 60 | sleep 60', 100)).toMatchObject({ kind: 'timed-out' })
})

test('a program that is not there is an outcome, not an exception', async () => {
  expect(await runProcess({ command: 'no-such-program', args: [], timeoutMs: 1000 })).toMatchObject({ kind: 'not-started' })
})

test('output beyond the limit is read and not kept', async () => {
  const outcome = await runProcess({ command: 'sh', args: ['-c', 'yes | head -c 3000000'], timeoutMs: 5000, mostBytes: 1000 })
  expect('stdout' in outcome && outcome.stdout.length).toBe(1000)
})

// A process that was ended may wait as a zombie until whoever has become its parent looks.
function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
}
