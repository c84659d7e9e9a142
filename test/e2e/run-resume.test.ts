import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { UNDONE, type Work, workIn } from '../support/proving.ts'
import { BIN } from '../support/qed.ts'
import { budgetNode, eventsIn } from '../support/run-store.ts'

// What a run that was broken off still knows when it is gone on with, and where it stands.

const call = (name: string, given: object) => ({ name, arguments: given })
const USAGE = { input: 100, output: 10 }
const greet = { calls: [call('write', { path: 'src/greeting', content: 'hello\n' })], usage: USAGE }
const wrong = { calls: [call('write', { path: 'src/greeting', content: 'good day\n' })], usage: USAGE }
const done = { calls: [call('update', { status: 200, body: 'It greets.' })], usage: USAGE }
const waiting = { delay_ms: 600_000, text: 'never' }

const sh = (command: string): void => void execFileSync('sh', ['-c', command], { timeout: 10_000 })

interface Place extends Work {
  script: string
  play: (turns: object[]) => void
}

async function place(work = workIn()): Promise<Place> {
  await work.qed(['init'])
  const script = join(work.env['HOME'] ?? '', 'script.json')
  const play = (turns: object[]): void => writeFileSync(script, JSON.stringify({ scripts: { main: { turns } } }))
  return { ...work, script, play }
}

/** Starts work, and kills it when what is waited for has come. */
async function brokenOff({ root, env, script }: Place, args: string[], until: () => boolean): Promise<string> {
  const child = spawn(BIN, [...args, '--model', `script:${script}`], { cwd: root, env, stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  await vi.waitUntil(until, { timeout: 30_000, interval: 20 })
  child.kill('SIGKILL')
  await once(child, 'exit')
  return (
    types(root)
      .find(({ type }) => type === 'run.queued')
      ?.stream.slice('run:'.length) ?? ''
  )
}

const types = (root: string) => (existsSync(join(root, '.qed/qed.db')) ? eventsIn(root) : [])
const seen =
  ({ root }: Work, type: string, times = 1) =>
  () =>
    types(root).filter(event => event.type === type).length >= times

describe('qed run resume', () => {
  test('R-29: knows scope, budget, verify command and base without being told again; the base is the commit from before the work', async () => {
    const at = await place()
    at.play([greet, waiting])
    const args = [
      'fix',
      'greet',
      '--scope',
      'src/**',
      '--verify',
      'sh test/greeting.test.sh',
      '--max-tokens',
      '77000',
      '--max-tool-calls',
      '9',
    ]
    const base = at.git('rev-parse', 'HEAD')
    const run = await brokenOff(at, args, seen(at, 'call.settled'))
    // What someone commits meanwhile is no part of the base.
    at.git('commit', '--quiet', '--all', '--message', 'meanwhile')
    at.play([greet, done])
    const ran = await at.qed(['run', 'resume', run, '--json'])
    expect(JSON.parse(ran.stdout)).toMatchObject({
      run: { status: 'completed', outcome: 'proven' },
      proof: { verdict: 'proven', base: { commit: base } },
      tool_calls: 2,
    })
    expect(budgetNode(at.root)).toMatchObject({ caps: { tokens: 77_000, toolCalls: 9 } })
  })

  test('L-40: a run killed in its second loop has the findings, the rounds and the budget that it had', async () => {
    const at = await place()
    at.play([wrong, done, waiting])
    const args = ['fix', 'greet', '--scope', 'src/**', '--verify', 'sh test/greeting.test.sh']
    const run = await brokenOff(at, args, seen(at, 'turn.requested', 3))
    at.play([wrong, done, { when: { sees: 'not proven' }, ...greet }, done])
    const ran = await at.qed(['run', 'resume', run, '--json'])
    expect(JSON.parse(ran.stdout)).toMatchObject({
      run: { outcome: 'proven' },
      rounds: 2,
      turns: 5,
      tool_calls: 4,
      usage: { prompt: 400, completion: 40 },
    })
    const loops = types(at.root).filter(({ type }) => type === 'loop.started')
    expect(loops.map(({ data }) => data['budget'])).toEqual([
      { maxTokens: 50_000, maxToolCalls: 20 },
      { maxTokens: 49_780, maxToolCalls: 18 },
    ])
  })

  test('L-40: a run killed during its proof is proven, and asks no model again', async () => {
    const slow = { ...UNDONE, 'test/greeting.test.sh': `sleep 2\n${UNDONE['test/greeting.test.sh']}` }
    const at = await place(workIn(slow))
    at.play([greet, done])
    const run = await brokenOff(at, ['fix', 'greet', '--scope', 'src/**', '--verify', 'sh test/greeting.test.sh'], seen(at, 'loop.stopped'))
    const ran = await at.qed(['run', 'resume', run, '--json'])
    expect(JSON.parse(ran.stdout)).toMatchObject({ run: { status: 'completed', outcome: 'proven' }, rounds: 1, turns: 2 })
    expect(types(at.root).filter(({ type }) => type === 'turn.requested')).toHaveLength(2)
  })

  test('L-41: a send whose reply nobody saw is paid as it was reserved, and sent again', async () => {
    const at = await place()
    at.play([greet, waiting])
    const isHeld = () => seen(at, 'turn.requested', 2)() && 'tokens' in budgetNode(at.root).reserved
    const run = await brokenOff(at, ['fix', 'greet', '--scope', 'src/**'], isHeld)
    const held = budgetNode(at.root).reserved['tokens'] ?? 0
    expect(held).toBeGreaterThan(16_384)
    at.play([greet, done])
    const ran = await at.qed(['run', 'resume', run, '--json'])
    expect(JSON.parse(ran.stdout)).toMatchObject({
      run: { status: 'completed' },
      tokens: 220 + held,
      usage: { prompt: 200, completion: 20 },
    })
    expect(budgetNode(at.root)).toMatchObject({ settled: { tokens: 220 + held, toolCalls: 2 }, reserved: {} })
  })

  test('R-23, L-45: what was open is listed, and the model is told that nobody knows whether its command ran', async () => {
    const at = await place()
    at.play([{ calls: [call('bash', { command: 'touch src/mark; sleep 30' })], usage: USAGE }])
    const run = await brokenOff(at, ['fix', 'greet', '--scope', 'src/**'], seen(at, 'call.reserved'))
    at.play([
      { calls: [call('bash', { command: 'touch src/mark; sleep 30' })], usage: USAGE },
      { when: { sees: 'Interrupted: it is not known' }, ...done },
    ])
    expect((await at.qed(['run', 'resume', run])).exit).toBe(0)
    const resumed = types(at.root).find(({ type }) => type === 'run.resumed')
    expect(resumed?.data['recovered']).toMatchObject([{ effect: 'execute', status: 'abandoned', outcome: 'unknown' }])
  })

  test('L-44: a file that changed beside an interrupted write is a finding, the model is told, and nothing is left beside it', async () => {
    const at = await place()
    at.play([greet])
    const command = [process.execPath, join(import.meta.dirname, '../support/crash/dying-qed.ts'), 'rename:1']
    const died = await at.qed(['fix', 'greet', '--scope', 'src/**', '--model', `script:${at.script}`], { command })
    expect([died.exit, readdirSync(join(at.root, 'src')).length]).toEqual([null, 2])
    writeFileSync(join(at.root, 'src/greeting'), 'mine\n')
    at.play([greet, { when: { sees: 'Interrupted: .*src/greeting changed meanwhile' }, ...done }])
    const queued = types(at.root).find(({ type }) => type === 'run.queued')
    expect((await at.qed(['run', 'resume', queued?.stream.slice('run:'.length) ?? ''])).exit).toBe(0)
    expect([readFileSync(join(at.root, 'src/greeting'), 'utf8'), readdirSync(join(at.root, 'src'))]).toEqual(['mine\n', ['greeting']])
    const finding = types(at.root).find(({ type }) => type === 'finding.recorded')
    expect(finding?.data).toMatchObject({ finding: { id: 'partial-effect', severity: 'review', path: join(at.root, 'src/greeting') } })
  })

  test('R-35: the isolation in force stands in the record of a run', async () => {
    const at = await place()
    at.play([greet, done])
    await at.qed(['fix', 'greet', '--scope', 'src/**', '--model', `script:${at.script}`])
    const recorded = types(at.root).find(({ type }) => type === 'isolation.recorded')
    expect(recorded?.data['isolation']).toMatchObject({ level: expect.any(String), network: 'off' })
  })
})

describe.runIf(process.getuid?.() === 0)('I-10: a disk that fills up during a run', () => {
  async function small(): Promise<Place & { fill: () => void; free: () => void }> {
    const root = join(temporaryFolder(), 'small')
    mkdirSync(root)
    sh(`mount -t tmpfs -o size=16m none ${root} && git init --quiet ${root}`)
    onTestFinished(() => sh(`umount -l ${root}`))
    const at = await place(workIn(UNDONE, root))
    const filler = join(root, '.git/filler')
    return { ...at, fill: () => sh(`dd if=/dev/zero of=${filler} bs=4k 2>/dev/null || true`), free: () => rmSync(filler, { force: true }) }
  }
  const args = (at: Place) => ['fix', 'greet', '--scope', 'src/**', '--model', `script:${at.script}`, '--max-tokens', '900000', '--json']
  const big = { calls: [call('write', { path: 'src/big', content: 'x'.repeat(400_000) })], usage: USAGE }

  test('under a write: nothing is half written, the run can be gone on with, and says so', async () => {
    const at = await small()
    at.fill()
    // Room for the record of the call, and not for what it writes.
    sh(`truncate --size=-700K ${at.root}/.git/filler`)
    at.play([greet, big, done])
    const ran = await at.qed(args(at))
    const { error } = JSON.parse(ran.stdout || ran.stderr) as { error: { code: string; next: { command: string } } }
    expect([ran.exit, error.code, error.next.command]).toEqual([1, 'disk_full', expect.stringMatching(/^qed run resume \w+$/)])
    expect(existsSync(join(at.root, 'src/big'))).toBe(false)
    at.free()
    const again = await at.qed([...error.next.command.split(' ').slice(1), '--json'])
    expect(JSON.parse(again.stdout)).toMatchObject({ run: { status: 'completed' }, tool_calls: 3 })
    expect(readFileSync(join(at.root, 'src/big'), 'utf8')).toHaveLength(400_000)
    expect((await at.qed(['events', 'verify'])).exit).toBe(0)
  })

  test('under the record itself: nothing goes on beside it, and what is settled stays', async () => {
    const at = await small()
    at.play([greet, { ...greet, delay_ms: 3000, calls: [call('write', { path: 'src/second', content: 'second\n' })] }, done])
    const running = at.qed(args(at))
    await vi.waitUntil(() => readFileSync(join(at.root, 'src/greeting'), 'utf8') === 'hello\n', { timeout: 30_000, interval: 20 })
    at.fill()
    const ran = await running
    expect([ran.exit, ran.stdout + ran.stderr]).toEqual([1, expect.stringContaining('disk_full')])
    expect(existsSync(join(at.root, 'src/second'))).toBe(false)
    at.free()
    const { items } = await at.json<{ items: { alias: string; status: string }[] }>(['run', 'list', '--json'])
    expect(items).toMatchObject([{ status: 'running' }])
    expect(JSON.parse((await at.qed(['run', 'resume', items[0]?.alias ?? '', '--json'])).stdout)).toMatchObject({
      run: { status: 'completed' },
    })
    expect(readFileSync(join(at.root, 'src/second'), 'utf8')).toBe('second\n')
    expect((await at.qed(['events', 'verify'])).exit).toBe(0)
  })
})
