import { randomUUID } from 'node:crypto'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { bench, carriers, until } from './support.ts'

// Commands of one series find their walls made beforehand. Nobody may be able to tell the difference.

const walled = () => {
  const at = bench({ program: 'bwrap' })
  const own = randomUUID()
  const series = (command: string, more: Parameters<typeof at.run>[1] = {}) =>
    at.run(command, { series: true, writable: { place: at.place, owned: ['**'] }, env: { OWN: own }, ...more })
  const alone = (command: string, more: Parameters<typeof at.run>[1] = {}) => series(command, { ...more, series: false })
  /** Until the walls of the next command stand. */
  const madeReady = async () => {
    await series('true')
    await until(() => waiting().length > 0)
    await sleep(50)
  }
  const waiting = (): string[] => carriers(`OWN=${own}`)
  return { ...at, series, alone, madeReady, waiting }
}

test.each([
  ['its output', 'echo out; echo err >&2; exit 7'],
  ['quotes, line breaks and what is not ASCII', `printf '%s|' "a  b" 'c"d' $'e\\nf' '🦊'; echo "\${BASH_VERSION%%.*}" >/dev/null`],
  ['a failing pipe', 'false | true'],
  ['a signal', 'kill -SEGV $$'],
  ['its place in the world', 'pwd; umask; readlink /proc/self/fd/0; ls /proc/self/fd | tr "\\n" " "; echo $SHLVL $# $0'],
  ['a name that is not there', 'no-such-program-here'],
  ['a script that does not end', 'echo "unclosed'],
])('a command in a series is told by nothing: %s', async (_what, command) => {
  const { series, alone, madeReady } = walled()
  await madeReady()
  const { reason, exit, signal, stdout, stderr, isolation } = await series(command)
  expect({ reason, exit, signal, stdout, stderr, isolation }).toEqual(
    await alone(command).then(({ reason, exit, signal, stdout, stderr, isolation }) => ({
      reason,
      exit,
      signal,
      stdout,
      stderr,
      isolation,
    })),
  )
})

test('nothing of one command is there for the next: no file in /tmp, no variable, no process', async () => {
  const { series, madeReady } = walled()
  await madeReady()
  await series('echo x > /tmp/left; export LEFT=1; sleep 300 & exit 0')
  const { stdout } = await series('ls /tmp | grep left; echo "[$LEFT]"; ps -e -o comm= | grep -c sleep')
  expect(stdout.text).toBe('[]\n0\n')
})

test('walls that would be others today are not used: a secret that appeared meanwhile is not seen', async () => {
  const { series, madeReady, place } = walled()
  await madeReady()
  writeFileSync(join(place, '.env'), 'TOKEN=value-of-the-secret\n')
  expect((await series('cat .env')).stdout.text).toBe('')
})

test('a hidden file that is replaced while walls wait stays hidden', async () => {
  const { series, madeReady, place } = walled()
  writeFileSync(join(place, '.env'), 'TOKEN=first\n')
  await madeReady()
  writeFileSync(join(place, 'new'), 'TOKEN=second\n')
  renameSync(join(place, 'new'), join(place, '.env'))
  expect((await series('cat .env')).stdout.text).toBe('')
})

test('a command of another scope gets walls of its own', async () => {
  const { series, madeReady, place } = walled()
  mkdirSync(join(place, 'src'))
  await madeReady()
  const outcome = await series('echo x > src/a; echo x > b', { writable: { place, owned: ['src/**'] } })
  expect(outcome).toMatchObject({ exit: 1, stderr: { text: expect.stringContaining('Read-only') } })
})

test('time runs from the command on, and what is called off ends', async () => {
  const { series, madeReady } = walled()
  await madeReady()
  expect(await series('sleep 60', { timeout_ms: 300 })).toMatchObject({ reason: 'timeout' })
  const stop = new AbortController()
  const running = series('sleep 60', { signal: stop.signal })
  stop.abort()
  expect(await running).toMatchObject({ reason: 'aborted' })
})

test('a shell that was killed while it waited is not missed', async () => {
  const { series, madeReady, waiting } = walled()
  await madeReady()
  process.kill(Number(waiting()[0]), 'SIGKILL')
  await until(() => waiting().length === 0)
  expect(await series('echo still here')).toMatchObject({ exit: 0, stdout: { text: 'still here\n' } })
})

test('the end of a run is the end of what waits for it, at once', async () => {
  const { series, processes, run_id, waiting } = walled()
  await series('true')
  await new Promise(resolve => setImmediate(resolve))
  const began = performance.now()
  await processes.endRun(run_id)
  expect(performance.now() - began).toBeLessThan(1500)
  expect(waiting()).toEqual([])
})

test('the end of a run with a command under way leaves nothing that waits', async () => {
  const { series, madeReady, processes, run_id, waiting } = walled()
  await madeReady()
  const running = series('sleep 60')
  await sleep(100)
  await processes.endRun(run_id)
  expect(await running).toMatchObject({ reason: 'aborted' })
  await sleep(100)
  expect(waiting()).toEqual([])
})
