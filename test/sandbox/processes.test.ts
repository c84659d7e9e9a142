import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LIMITS } from '../../src/sandbox/process/types.ts'
import { bench, isAlive, NODE, newRun, until } from './support.ts'

const sha = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex')

test('S-1 a program that ends tells its exit, its output with digests, and what isolation it had', async () => {
  const { run } = bench()
  const outcome = await run(['sh', '-c', 'echo out; echo err >&2; exit 3'])
  expect(outcome).toMatchObject({
    reason: 'exited',
    exit: 3,
    signal: null,
    stdout: { text: 'out\n', bytes: 4, sha256: sha('out\n'), cut: false },
    stderr: { text: 'err\n', bytes: 4, sha256: sha('err\n'), cut: false },
    ended: [],
    escaped: [],
    isolation: { level: 'process-group', network: 'host', pid_namespace: false, environment: 'filtered' },
  })
})

test.each([
  ['a program that is not there', ['no-such-program-here'], 'ENOENT'],
  ['a file that is no program', ['/etc/passwd'], 'EACCES'],
])('S-1 %s is not started, and the outcome says why', async (_what, argv, code) => {
  const outcome = await bench().run(argv)
  expect(outcome).toMatchObject({ reason: 'not-started', exit: null, error: { code } })
})

test('S-1 a folder that is not there is not started', async () => {
  expect(await bench().run('true', { cwd: '/no/such/folder' })).toMatchObject({ reason: 'not-started', error: { code: 'ENOENT' } })
})

test('S-1 a program killed by a signal is told as such', async () => {
  expect(await bench().run(['sh', '-c', 'kill -SEGV $$'])).toMatchObject({ reason: 'signalled', exit: null, signal: 'SIGSEGV' })
})

test('S-2 a process ends when its time is over, and zero or infinity do not mean none', async () => {
  const { run } = bench()
  const outcome = await run('sleep 60', { timeout_ms: 200 })
  expect(outcome).toMatchObject({ reason: 'timeout', signal: 'SIGTERM' })
  expect(outcome.duration_ms).toBeLessThan(1500)
  expect(await run('true', { timeout_ms: Number.POSITIVE_INFINITY })).toMatchObject({ reason: 'exited' })
})

test('S-2 a process that prints nothing for too long ends, one that goes on printing does not', async () => {
  const { run } = bench()
  expect(await run('echo one; sleep 60', { silent_ms: 300 })).toMatchObject({ reason: 'silent', stdout: { text: 'one\n' } })
  const talking = await run('for i in 1 2 3 4 5 6; do echo $i; sleep 0.1; done', { silent_ms: 400 })
  expect(talking).toMatchObject({ reason: 'exited', exit: 0 })
})

test('S-3 it leads its own session and group, has no stdin, no terminal, no core dumps, and a private umask', async () => {
  const { run, folder } = bench()
  const script = 'echo $(ps -o pid=,pgid=,sid= -p $$); readlink /proc/$$/fd/0; ulimit -c; umask; tty'
  const { stdout } = await run(script)
  const [ids = '', stdin, core, umask, tty] = stdout.text.trim().split('\n')
  const [pid, group, session] = ids.split(/\s+/)
  expect([group, session]).toEqual([pid, pid])
  expect([stdin, core, umask, tty]).toEqual(['/dev/null', '0', '0077', 'not a tty'])
  const inside = await run('umask', { writable: { place: folder } })
  expect(inside.stdout.text).toBe('0022\n')
})

test('S-3 stdin is what was given, to its end', async () => {
  const bytes = Buffer.from('line\n'.repeat(50_000))
  const { stdout } = await bench().run('wc -c', { stdin: bytes })
  expect(stdout.text.trim()).toBe(String(bytes.length))
})

test('S-4 what a program leaves behind on a normal exit is ended and named', async () => {
  const outcome = await bench().run('sleep 300 & sleep 301 & exit 0')
  expect(outcome).toMatchObject({ reason: 'exited', exit: 0, escaped: [] })
  expect(outcome.ended).toHaveLength(2)
  expect(outcome.ended.every(({ pid }) => !isAlive(pid))).toBe(true)
})

test('S-11 a grandchild in a session of its own is found by its mark and ended', async () => {
  const { run, folder } = bench()
  const outcome = await run(
    `mkfifo ${folder}/up; setsid -f sh -c "echo up > ${folder}/up; exec sleep 300"; read line < ${folder}/up; exit 0`,
  )
  expect(outcome.ended).toHaveLength(1)
  expect(outcome.escaped).toEqual([])
})

test('S-11 one that left its group and emptied its environment is ended because it was seen while it ran', async () => {
  const outcome = await bench().run('env -i setsid sleep 303 & sleep 0.4; exit 0')
  expect(outcome.ended.map(({ command }) => command)).toEqual(['sleep 303'])
})

test('S-11 a child that ignores SIGTERM is killed after the grace', async () => {
  const outcome = await bench().run(`trap '' TERM; echo ready; while :; do sleep 0.05; done`, { timeout_ms: 300 })
  expect(outcome).toMatchObject({ reason: 'timeout', signal: 'SIGKILL', escaped: [] })
  expect(outcome.duration_ms).toBeGreaterThanOrEqual(LIMITS.graceMs)
  expect(outcome.duration_ms).toBeLessThan(LIMITS.graceMs + 2500)
})

test('S-4 a program that tidies up on SIGTERM has the time to do so', async () => {
  const outcome = await bench().run(`trap 'echo tidy; exit 7' TERM; echo ready; while :; do sleep 0.05; done`, { timeout_ms: 400 })
  expect(outcome).toMatchObject({ reason: 'timeout', exit: 7, stdout: { text: 'ready\ntidy\n' } })
})

test('S-11 a storm of 200 forks is ended to the last', async () => {
  const outcome = await bench().run('for i in $(seq 200); do (setsid sleep 300 &) ; done; exit 0')
  expect(outcome.escaped).toEqual([])
  expect(outcome.ended.length).toBeGreaterThanOrEqual(200)
})

test('S-11 a background child that holds the pipe delays nothing', async () => {
  const outcome = await bench().run('echo done; sleep 300 & exit 0')
  expect(outcome).toMatchObject({ reason: 'exited', stdout: { text: 'done\n' } })
  expect(outcome.duration_ms).toBeLessThan(1500)
})

test('S-11 a stopped child is ended', async () => {
  const outcome = await bench().run('sleep 300 & kill -STOP $!; exit 0')
  expect(outcome.ended).toHaveLength(1)
  expect(outcome.escaped).toEqual([])
})

test('S-11 a gibibyte of output ends the process at the limit, keeps head and tail, and stays small', async () => {
  const outcome = await bench().run('head -c 1073741824 /dev/zero | tr "\\0" "a"', { keep: { head: 1000, tail: 1000 } })
  expect(outcome).toMatchObject({ reason: 'output-limit', stdout: { cut: true } })
  expect(outcome.stdout.bytes).toBeGreaterThanOrEqual(LIMITS.mostOutputBytes)
  expect(outcome.stdout.bytes).toBeLessThan(LIMITS.mostOutputBytes + (4 << 20))
  expect(outcome.stdout.text.length).toBeLessThan(2500)
})

test('S-5 ending a run ends all its processes, those in the background too', async () => {
  const { run, processes, run_id } = bench()
  const server = run('echo up; sleep 300', { background: true, onOutput: () => up() })
  let up = (): void => undefined
  await new Promise<void>(settle => (up = settle))
  expect(processes.running()).toMatchObject([{ run_id, background: true, command: 'echo up; sleep 300' }])
  expect(await processes.endRun(run_id)).toMatchObject({ escaped: [] })
  expect(await server).toMatchObject({ reason: 'aborted' })
  expect(processes.running()).toEqual([])
})

test('S-6 a pid that was given to another process in the meantime is not signalled', async () => {
  const { endProcess } = await import('../../src/sandbox/process/endings.ts')
  const { linuxProcTable } = await import('../../src/sandbox/process/proc-table.ts')
  const stranger = spawn('sleep', ['300'], { detached: true })
  try {
    const pid = stranger.pid ?? 0
    const reused = { pid, start: '1', mark: 'QED_MARK=none\0', seen: new Map([[pid, '2']]), init: { pid, start: '3' }, trusted: false }
    await endProcess(reused, linuxProcTable)
    await endProcess({ ...reused, init: null }, linuxProcTable)
    expect(isAlive(pid)).toBe(true)
  } finally {
    stranger.kill('SIGKILL')
    await once(stranger, 'exit')
  }
})

test('S-8 head and tail are kept, the cut says how much and where the whole is, and digests are of the whole', async () => {
  const whole = Array.from({ length: 5000 }, (_, i) => `line ${i}\n`).join('')
  const { stdout } = await bench().run('seq -f "line %g" 0 4999', { keep: { head: 20, tail: 10 } })
  expect(stdout).toMatchObject({ bytes: whole.length, sha256: sha(whole), cut: true })
  expect(stdout.text).toBe(
    `line 0\nline 1\nline 2\n`.slice(0, 20) +
      `\n[${whole.length - 30} bytes left out; the whole is in ${stdout.file}]\n` +
      whole.slice(-10),
  )
  expect(readFileSync(stdout.file ?? '', 'utf8')).toBe(whole)
})

test('S-8 a secret is redacted before it is kept, written or digested, also across a cut and in pieces', async () => {
  const key = ['ghp_', 'aB3dE5gH7jK9mN1pQ2sT4vW6xY8zA0cD2fG4'].join('')
  const seen: string[] = []
  const script = `printf 'x ${key.slice(0, 12)}'; sleep 0.1; printf '${key.slice(12)} y\\n'; head -c 4000 /dev/zero | tr '\\0' z`
  const { stdout } = await bench().run(script, { keep: { head: 10, tail: 10 }, onOutput: (_stream, text) => seen.push(text) })
  const written = readFileSync(stdout.file ?? '', 'utf8')
  expect([stdout.text, written, seen.join('')].filter(text => text.includes(key.slice(4, 12)))).toEqual([])
  expect(sha(written)).toBe(stdout.sha256)
})

test('S-9 control sequences are dropped for the reader and kept in the file; broken UTF-8 becomes replacement characters', async () => {
  const script = `printf '\\033[31mred\\033[0m \\033]0;title\\007 10%%\\r50%%\\rdone\\n\\377 end\\n'; head -c 100 /dev/zero | tr '\\0' z`
  const { stdout } = await bench().run(script, { keep: { head: 60, tail: 5 } })
  expect(stdout.text.startsWith('red  10%\n50%\ndone\n\ufffd end\n')).toBe(true)
  expect(readFileSync(stdout.file ?? '', 'utf8')).toContain('\u001b[31mred')
})

test('S-10 at most so many run at once, the others wait in order, and waiting costs no time of theirs', async () => {
  const { run, folder } = bench({ atOnce: 2 })
  const log = join(folder, 'log')
  const jobs = [1, 2, 3, 4].map(i =>
    run(`echo start >> ${log}; sleep 0.3; echo end >> ${log}`, { timeout_ms: 2000, env: { N: String(i) } }),
  )
  const outcomes = await Promise.all(jobs)
  expect(outcomes.every(outcome => outcome.reason === 'exited' && outcome.duration_ms < 900)).toBe(true)
  let now = 0
  const most = readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map(word => (now += word === 'start' ? 1 : -1))
  expect(Math.max(...most)).toBe(2)
})

test('S-10 one that is called off while it waits is never started', async () => {
  const { run, folder } = bench({ atOnce: 1 })
  const off = new AbortController()
  const first = run('sleep 0.3')
  const second = run(`touch ${join(folder, 'ran')}`, { signal: off.signal })
  off.abort()
  expect(await second).toMatchObject({ reason: 'aborted', exit: null })
  await first
  expect(() => readFileSync(join(folder, 'ran'))).toThrow('ENOENT')
})

test('S-4 a caller whose listener fails ends the process instead of leaving it', async () => {
  const outcome = await bench().run('echo x; sleep 300', {
    onOutput: () => {
      throw new Error('listener broke')
    },
  })
  expect(outcome).toMatchObject({ reason: 'aborted', error: { code: 'listener_failed', message: 'listener broke' } })
})

test('S-11 what a killed QED left behind without a namespace is found by its mark at the next start', async () => {
  const { folder, processes } = bench()
  const script = join(folder, 'victim.ts')
  const here = join(import.meta.dirname, '../../src/sandbox/sandbox.ts')
  writeFileSync(
    script,
    `import { createSandbox } from ${JSON.stringify(here)}
     const { processes } = createSandbox({ env: process.env, home: ${JSON.stringify(join(folder, 'home'))}, personal: ${JSON.stringify(join(folder, 'personal'))},
       project: null, require: 'none', program: 'no-such-bwrap', redact: t => t, clock: { now: () => Date.now() } })
     await processes.run({ argv: { shell: 'setsid sleep 300 & echo $!; sleep 301' }, cwd: '/', profile: 'worker', writable: {}, env: {}, timeout_ms: 60000,
       keep: { head: 100, tail: 0 }, run_id: ${JSON.stringify(newRun())}, onOutput: (_s, text) => process.stdout.write(text) })`,
  )
  const victim = spawn(NODE, [script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [pid] = (await once(victim.stdout, 'data')) as [Buffer]
  victim.kill('SIGKILL')
  await once(victim, 'exit')
  // It was told before it became what it is to be.
  await until(() => readFileSync(`/proc/${Number(pid.toString())}/cmdline`, 'utf8').startsWith('sleep'))
  const { ended, escaped } = await processes.endLeftovers()
  expect(
    ended
      .map(({ command }) => command)
      .filter(command => command.startsWith('sleep'))
      .sort(),
  ).toEqual(['sleep 300', 'sleep 301'])
  expect(escaped).toEqual([])
  await until(() => !isAlive(Number(pid.toString())))
  expect(await processes.endLeftovers()).toEqual({ ended: [], escaped: [] })
})

test('S-8 a secret is taken out of a line that is longer than any buffer, wherever the pieces of it end', async () => {
  const token = `ghp_${'a1B2'.repeat(9)}`
  const { run } = bench()
  const told: string[] = []
  // A pause in the middle of it, so that it comes in two pieces.
  const command = `printf 'x %.0s' $(seq 3000); printf '${token.slice(0, 12)}'; sleep 0.3; printf '${token.slice(12)} end'`
  const { stdout } = await run(command, { onOutput: (_stream, text) => told.push(text) })
  expect(stdout.text).toContain('***REDACTED*** end')
  expect(`${stdout.text}${told.join('')}`).not.toContain(token.slice(12))
})
