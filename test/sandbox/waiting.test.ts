import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { bench, carriers, isAlive, NODE, until } from './support.ts'

// Commands of one series find their walls made beforehand. Nobody may be able to tell the difference.

const walled = () => {
  const at = bench({ program: 'bwrap' })
  const own = randomUUID()
  const series = (command: string, more: Parameters<typeof at.run>[1] = {}) =>
    at.run(command, { series: true, writable: { place: at.place, owned: ['**'] }, ...more, env: { OWN: own, ...more.env } })
  const alone = (command: string, more: Parameters<typeof at.run>[1] = {}) => series(command, { ...more, series: false })
  /** Until the walls of the next command stand. */
  const madeReady = async () => {
    await series('true')
    await until(() => waiting().length > 0)
    await sleep(50)
  }
  const waiting = (): string[] => carriers(`OWN=${own}`)
  const expect = () => at.processes.expect(at.spec('', { series: true, writable: { place: at.place, owned: ['**'] }, env: { OWN: own } }))
  return { ...at, series, alone, madeReady, waiting, expect }
}

test.each([
  ['its output', 'echo out; echo err >&2; exit 7'],
  ['quotes, line breaks and what is not ASCII', `printf '%s|' "a  b" 'c"d' $'e\\nf' '🦊'; echo "\${BASH_VERSION%%.*}" >/dev/null`],
  ['a failing pipe', 'false | true'],
  ['a signal', 'kill -SEGV $$'],
  ['its place in the world', 'pwd; umask; readlink /proc/self/fd/0; ls /proc/self/fd | tr "\\n" " "; echo $SHLVL $# $0'],
  ['its environment', 'env | grep -v -e QED_ -e ^_= | sort'],
  ['a name that is not there', 'no-such-program-here'],
  ['a script that does not end', 'echo "unclosed'],
  ['a zero byte', 'echo a\0b'],
  ['bytes that mean something to bash itself', 'printf %s "\x01a\x7fb\x01\x01" | od -c'],
  ['line ends of elsewhere', 'echo a\r\necho b\n\n'],
  ['as long as can be handed over', `echo ${'é'.repeat(4091)}`],
  ['what looks like an option', '-x'],
  ['a command that closes everything', 'exec 0<&- 1>&- 2>&-; exit 4'],
  ['its last word', 'set -e; trap "echo bye; exit 9" EXIT; false'],
  ['names of variables', 'set | grep -c QED_COMMAND= ; env | grep -c QED_ '],
])('a command in a series is told by nothing: %s', async (_what, command) => {
  const { series, alone, madeReady } = walled()
  await madeReady()
  const { started_at: _, duration_ms: __, ...outcome } = await series(command)
  const { started_at: ___, duration_ms: ____, ...same } = await alone(command)
  expect(outcome).toEqual(same)
  expect(await series('echo next')).toMatchObject({ reason: 'exited', exit: 0, stdout: { text: 'next\n' } })
})

const USE_PORT = `const s = net.createServer(c => c.end()).listen(7777, () => net.connect(7777).resume().on('close', () => s.close()))`

test.each([
  ['a file in /tmp', 'echo x > /tmp/left', 'ls -A /tmp | grep left'],
  ['a file deep in the home folder', 'mkdir -p ~/a/b && echo x > ~/a/b/c', 'ls -A ~'],
  ['shared memory', 'echo x > /dev/shm/left', 'ls -A /dev/shm'],
  ['a variable', 'export LEFT=1', 'printenv LEFT'],
  ['a working folder', 'cd /usr', 'pwd | grep usr'],
  ['a process', 'sleep 300 &', 'ps -e -o comm= | grep sleep'],
  [
    'a process in a session of its own that ignores signals',
    `setsid bash -c 'trap "" TERM HUP; sleep 300; :' &`,
    'ps -e -o args= | grep "[s]leep"',
  ],
  ['shared memory of the old kind', 'ipcmk --shmem 100', 'ipcs --shmems | grep 0x'],
  ['something else in the place of what was there', 'rm /dev/ptmx && touch /dev/other', 'ls /dev | grep other'],
  ['other permissions', 'chmod 0 /tmp', 'stat -c %a /tmp | grep -x 0'],
  ['a port that stays taken for a while', `${NODE} -e "${USE_PORT}"`, 'grep -o "tw [1-9]" /proc/net/sockstat'],
  ['a limit of who starts the next one', 'prlimit --pid $PPID --nofile=50:50', 'ulimit -n | grep -x 50'],
  ['a rank of who starts the next one', 'renice -n 15 $PPID', 'nice | grep -x 15'],
  ['many processes', 'for i in $(seq 60); do sleep 300 & done', 'ps -e -o comm= | grep sleep'],
])('nothing of one command is there for the next: %s', async (_what, leave, look) => {
  const { series, madeReady } = walled()
  await madeReady()
  expect(await series(leave)).toMatchObject({ exit: 0 })
  expect((await series(look)).stdout.text).toBe('')
  expect((await series(look)).stdout.text).toBe('')
})

test('commands that leave nothing behind share their walls; one that leaves something gets others made', async () => {
  const { series } = walled()
  const walls = async (command: string): Promise<string> => (await series(`readlink /proc/self/ns/mnt; ${command}`)).stdout.text
  const first = await walls('true')
  expect(await walls('touch /tmp/gone; rm /tmp/gone')).toBe(first)
  expect(await walls('touch /tmp/left')).toBe(first)
  expect(await walls('true')).not.toBe(first)
})

test('between two commands the shell that waits is stopped: nothing in there can run', async () => {
  const { series, waiting } = walled()
  await series('true')
  const stateOf = (pid: string) => /^State:\s+(\w)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  await expect.poll(() => waiting().map(stateOf)).toContain('T')
})

test('a long output is whole, and nothing of it comes with the next one', async () => {
  const { series } = walled()
  let heard = 0
  const outcome = await series('head -c 3000000 /dev/zero | tr "\\0" x; echo end >&2', {
    onOutput: (stream, text) => (heard += stream === 'stdout' ? text.length : 0),
  })
  expect(outcome).toMatchObject({ stdout: { bytes: 3_000_000 }, stderr: { text: 'end\n' } })
  expect(heard).toBe(3_000_000)
  expect(await series('echo next')).toMatchObject({ stdout: { text: 'next\n' }, stderr: { text: '' } })
})

test.each([
  ['kill -9 -1', 137],
  ['kill -9 0', 137],
  ['kill 0', 143],
  ['kill -9 $PPID; sleep 5', 137],
])('a command that ends more than itself was run once, and the next one runs: %s', async (command, exit) => {
  const { series, place } = walled()
  await series('true')
  expect(await series(`echo once >> count; ${command}`)).toMatchObject({ reason: 'exited', exit })
  expect(readFileSync(join(place, 'count'), 'utf8')).toBe('once\n')
  expect(await series('echo here')).toMatchObject({ reason: 'exited', exit: 0, stdout: { text: 'here\n' } })
})

test('commands at the same time do not see each other', async () => {
  const { series } = walled()
  await series('true')
  const both = await Promise.all([series('echo a; sleep 0.2; ps -e -o comm= | grep -c sleep'), series('echo b; sleep 0.2; ls /tmp')])
  expect(both.map(({ stdout }) => stdout.text.split('\n')[0])).toEqual(['a', 'b'])
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

test('a hidden file that is removed and made again stays hidden, also where the disk gives it the same number', async () => {
  const { series, place } = walled()
  const secret = join(place, '.env')
  writeFileSync(secret, 'TOKEN=first\n')
  await series('true')
  for (let i = 0; i < 4; i++) {
    rmSync(secret)
    writeFileSync(secret, 'TOKEN=second\n')
    expect((await series('cat .env')).stdout.text).toBe('')
  }
})

test('a folder that was removed and made again is the one that the next command works in', async () => {
  const { series, place } = walled()
  const cwd = join(place, 'sub')
  mkdirSync(cwd)
  await series(`cd / && rm -r ${cwd} && mkdir ${cwd} && touch ${cwd}/here`, { cwd })
  expect((await series('ls', { cwd })).stdout.text).toBe('here\n')
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

test('a command in a series that is broken off has no exit code of its own', async () => {
  const { series, madeReady } = walled()
  await madeReady()
  expect(await series('echo begun; sleep 300', { timeout_ms: 500 })).toMatchObject({ reason: 'timeout', exit: null, signal: null })
})

test('what is called off is asked to end and does: nothing has to be killed', async () => {
  const { series } = walled()
  for (let i = 0; i < 12; i++) {
    const stop = new AbortController()
    const outcome = await series('echo begun; exec sleep 60', { signal: stop.signal, onOutput: () => stop.abort() })
    expect(outcome).toMatchObject({ reason: 'aborted', signal: null })
  }
})

test('a command has the variables that it was given, and nothing is done twice that they make bash do', async () => {
  const { series, place } = walled()
  writeFileSync(join(place, 'start'), 'echo started\n')
  const env = { command: 'mine', code: 'own', BASH_ENV: join(place, 'start') }
  for (let i = 0; i < 2; i++) expect((await series('echo $command $code', { env })).stdout.text).toBe('started\nmine own\n')
  const { BASH_ENV: _, ...plain } = env
  for (let i = 0; i < 2; i++) expect((await series('echo $command $code', { env: plain })).stdout.text).toBe('mine own\n')
})

test('a shell that was killed while it waited is not missed', async () => {
  const { series, madeReady, waiting } = walled()
  await madeReady()
  process.kill(Number(waiting()[0]), 'SIGKILL')
  await until(() => waiting().length === 0)
  expect(await series('echo still here')).toMatchObject({ exit: 0, stdout: { text: 'still here\n' } })
})

test('walls can be made before the first command is known; they are those that it gets, and end with the run', async () => {
  const { expect: expectFirst, series, waiting, processes, run_id } = walled()
  await expectFirst()
  const [made] = waiting()
  expect(made).toBeDefined()
  expect((await series('true')).exit).toBe(0)
  expect(waiting()).toContain(made)
  await processes.endRun(run_id)
  expect(waiting()).toEqual([])
  const late = expectFirst()
  await processes.endRun(run_id)
  await late
  expect(waiting()).toEqual([])
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

test('walls that were ordered for a run which ends at the same moment are not made: nobody would end them', async () => {
  const { series, processes, run_id, waiting } = walled()
  await series('touch /tmp/left')
  await processes.endRun(run_id)
  await sleep(100)
  expect(waiting()).toEqual([])
})

test('a command that comes while its run ends leaves nothing that waits', async () => {
  const { series, processes, run_id, waiting } = walled()
  const late = series('true')
  await processes.endRun(run_id)
  await late
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

test('one that stands by to end groups, and is killed, is replaced: commands go on', async () => {
  const { series, alone } = walled()
  await series('true')
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  const keeper = children.find(pid => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('begun)')) ?? 0
  process.kill(keeper, 'SIGKILL')
  await until(() => !isAlive(keeper))
  await sleep(50)
  expect(await alone('echo still here')).toMatchObject({ exit: 0, stdout: { text: 'still here\n' } })
  expect(await series('echo still here')).toMatchObject({ exit: 0, stdout: { text: 'still here\n' } })
})
