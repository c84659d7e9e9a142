import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { DOUBLE_PROTOCOLS } from '../support/model-double/protocols.ts'
import { modelDouble } from '../support/model-double/server.ts'
import { otlpReceiver } from '../support/otlp-receiver.ts'
import { workIn } from '../support/proving.ts'
import { qedAtTerminal } from '../support/pty.ts'
import { BIN } from '../support/qed.ts'
import { budgetNode, eventsIn } from '../support/run-store.ts'

// What a run is told that cannot be kept, and what it says of itself at its end, through the built program.

const write = { calls: [{ name: 'write', arguments: { path: 'src/a', content: 'x\n' } }] }

async function scene(turns: object[] = [write, { text: 'Done.' }]) {
  const place = workIn()
  await place.qed(['init'])
  const script = join(place.env['HOME'] ?? '', 'script.json')
  const play = (next: object[]): void => writeFileSync(script, JSON.stringify({ scripts: { main: { turns: next } } }))
  play(turns)
  const fix = async (...more: string[]) => {
    const ran = await place.qed(['fix', 'x', '--model', `script:${script}`, '--json', ...more])
    return { exit: ran.exit, told: JSON.parse(ran.stdout) as Record<string, unknown> }
  }
  const start = (...more: string[]) => {
    const child = spawn(BIN, ['fix', 'x', '--model', `script:${script}`, '--json', ...more], { cwd: place.root, env: place.env })
    onTestFinished(() => void child.kill('SIGKILL'))
    let out = ''
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
    const closed = once(child, 'close')
    return { child, result: async () => ({ exit: ((await closed) as [number])[0], told: JSON.parse(out) as Record<string, unknown> }) }
  }
  return { ...place, fix, play, start }
}

test.each(['/src/**', '../x', 'src/../../x'])(
  'I-1: a scope of %s, which nothing in the project can match, is refused before a model is asked',
  async pattern => {
    const place = await scene()
    expect(await place.fix('--scope', pattern)).toMatchObject({ exit: 2, told: { error: { code: 'invalid_input' } } })
    expect(await place.json(['run', 'list', '--json'])).toEqual({ items: [] })
  },
)

test.each(['src', 'src/', './src'])('I-1: of --scope %s everything below the folder is owned, and the run says so', async folder => {
  const place = await scene()
  mkdirSync(join(place.root, 'src'), { recursive: true })
  expect(await place.fix('--scope', folder)).toMatchObject({ exit: 0, told: { scope: ['src/**'], changed: ['src/a'] } })
  const started = eventsIn(place.root).find(({ type }) => type === 'run.started')
  expect(started?.data['scope']).toEqual(['src/**'])
})

test.each([['--verify', 'true'], ['--isolated']])('%s in a repository without a commit says that one is missing', async (...flags) => {
  const place = await scene()
  rmSync(join(place.root, '.git'), { recursive: true })
  place.git('init', '--quiet')
  const { exit, told } = await place.fix('--scope', 'src/**', ...flags)
  expect({ exit, told }).toMatchObject({ exit: 2, told: { error: { code: 'usage', details: { why: 'no-commit' } } } })
})

test('F-5: what is not committed outside the scope is told before a model is asked, and --isolated leaves it out', async () => {
  const place = await scene()
  place.write({ 'mine.txt': 'mine', 'src/own.txt': 'inside' })
  const { exit, told } = await place.fix('--scope', 'src', '--verify', 'test -e src/a')
  expect({ exit, told }).toMatchObject({ exit: 8, told: { error: { code: 'not_ready', details: { paths: ['mine.txt'] } } } })
  expect(eventsIn(place.root).filter(({ type }) => type === 'turn.requested')).toEqual([])
  expect(await place.fix('--scope', 'src', '--verify', 'test -e src/a', '--isolated')).toMatchObject({
    exit: 0,
    told: { changed: ['src/a'], run: { outcome: 'proven' } },
  })
  expect(await place.fix('--scope', 'src,mine.txt', '--verify', 'test -e src/a')).toMatchObject({ exit: 0 })
})

test('U-9: a run that takes longer than --timeout is stopped and settled, and says how it goes on', async () => {
  const place = await scene([write, { delay_ms: 60_000, text: 'late' }])
  const { exit, told } = await place.fix('--scope', 'src', '--timeout', '1500')
  expect({ exit, told }).toMatchObject({ exit: 10, told: { error: { code: 'timeout', next: { command: 'qed run resume' } } } })
  expect(await place.json(['run', 'list', '--json'])).toMatchObject({ items: [{ status: 'aborted', outcome: 'cancelled' }] })
  place.play([write, { text: 'In time.' }])
  expect(JSON.parse((await place.qed(['run', 'resume', '--json'])).stdout)).toMatchObject({ text: 'In time.' })
})

test('I-1: a scope that means something only in the folder below is told with its name from the root on', async () => {
  const place = await scene()
  place.write({ 'packages/a/lib/x': '1' })
  const script = join(place.env['HOME'] ?? '', 'script.json')
  const at = { cwd: join(place.root, 'packages/a') }
  const ran = await place.qed(['fix', 'x', '--model', `script:${script}`, '--scope', 'lib/**'], at)
  expect([ran.exit, ran.stderr]).toEqual([2, expect.stringContaining('from the root of the project on: packages/a/lib/**')])
  expect((await place.qed(['fix', 'x', '--model', `script:${script}`, '--scope', 'src/**'], at)).exit).toBe(0)
})

test('a prompt of - is what comes in on stdin', async () => {
  const place = await scene([{ when: { sees: 'mend the sum' }, text: 'I heard.' }])
  const script = join(place.env['HOME'] ?? '', 'script.json')
  const ran = await place.qed(['explain', '-', '--model', `script:${script}`, '--json'], { stdin: 'please mend the sum' })
  expect(JSON.parse(ran.stdout)).toMatchObject({ text: 'I heard.', run: { intent: 'please mend the sum' } })
})

test.each([
  [['code'], /<prompt>: it is missing\n→ qed code --help/],
  [['fix', 'x', '--max-tokens', 'many'], /--max-tokens: expected number, received string\n→ qed fix --help/],
  [['fix', 'the', 'sum'], /"sum" here. Words that belong together need quotes[^]*→ qed fix --help/],
  [['run', 'lst'], /→ qed run --help/],
  [['run', 'undo', 'abcd'], /→ qed run undo abcd/],
])('U-5: qed %j is told in the words of the command line, with where to look', async (words, told) => {
  expect((await (await scene()).qed(words)).stderr).toMatch(told)
})

test('L-56: no time means that nothing is sent', async () => {
  const { exit, told } = await (await scene()).fix('--scope', 'src/**', '--max-seconds', '0')
  expect({ exit, told }).toMatchObject({ exit: 7, told: { turns: 0, tool_calls: 0, changed: [], run: { outcome: 'budget' } } })
})

test('L-38: while a run waits for a person its time stands still', async () => {
  const place = await scene()
  const running = place.fix('--wait-for-approval', '--max-seconds', '1')
  await expect
    .poll(async () => (await place.json<{ items: unknown[] }>(['approval', 'list', '--json'])).items, { timeout: 20_000 })
    .toHaveLength(1)
  await new Promise(resolve => setTimeout(resolve, 1500))
  const { items } = await place.json<{ items: { id: string }[] }>(['approval', 'list', '--json'])
  const person = qedAtTerminal(['reject', items[0]?.id ?? '', 'no'], { cwd: place.root, env: place.env })
  expect(await person.exit()).toBe(0)
  expect(await running).toMatchObject({ exit: 0, told: { run: { outcome: 'unproven' } } })
  expect(budgetNode(place.root).settled['wallMs']).toBeLessThan(1000)
})

test('L-19: a reply that is cut off is no claim; the model goes on once, and cut off again the run has failed', async () => {
  const protocol = DOUBLE_PROTOCOLS[0]
  if (!protocol) throw new Error('there is no protocol')
  const usage = { prompt: 100, cached: 0, cacheWrite: 0, completion: 10, reasoning: 0 }
  const cut = { kind: 'stream' as const, frames: protocol.frames({ text: ['I have'], end: 'length', usage }) }
  const whole = { kind: 'stream' as const, frames: protocol.frames({ text: ['Done.'], usage }) }
  const place = await scene()
  const config = join(place.env['HOME'] ?? '', '.config/qed')
  const run = async (acts: (typeof cut)[], ...words: string[]) => {
    const { url } = await modelDouble(acts)
    const alias = { protocol: protocol.name, model: 'm', base_url: `${url}${protocol.base}`, key: { env: 'DOUBLE_KEY' } }
    mkdirSync(config, { recursive: true })
    writeFileSync(join(config, 'config.json'), JSON.stringify({ models: { double: alias } }))
    const env = { ...place.env, DOUBLE_KEY: 'k' }
    const ran = await place.qed([...words, '--model', 'double', '--json'], { env })
    return { exit: ran.exit, told: JSON.parse(ran.stdout) as unknown }
  }
  expect(await run([cut, whole], 'fix', 'x', '--scope', 'src/**')).toMatchObject({
    exit: 0,
    told: { turns: 2, text: 'Done.', run: { outcome: 'unproven' } },
  })
  expect(await run([cut, cut], 'fix', 'x', '--scope', 'src/**')).toMatchObject({
    exit: 1,
    told: { turns: 2, run: { outcome: 'error', outcome_reason: expect.stringMatching(/^truncated: /) } },
  })
  expect(await run([cut, whole], 'explain', 'x')).toMatchObject({
    exit: 0,
    told: { turns: 1, text: 'I have', run: { outcome: 'answered' } },
  })
})

test.each(['SIGINT', 'SIGTERM'] as const)(
  'a %s that comes when the end of a run is recorded does not change its exit code',
  async signal => {
    const place = await scene()
    // A collector that never answers keeps the process waiting behind the end of its run.
    place.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = (await otlpReceiver(null)).url
    const ended = place.start('--scope', 'src/**')
    await expect.poll(() => eventsIn(place.root).map(({ type }) => type), { timeout: 20_000 }).toContain('run.stopped')
    ended.child.kill(signal)
    expect(await ended.result()).toMatchObject({ exit: 0, told: { run: { status: 'completed', outcome: 'unproven' } } })
  },
)

test('R-1: a run that was stopped while its result was proven goes on with the proof', async () => {
  const place = await scene([{ calls: [{ name: 'write', arguments: { path: 'src/greeting', content: 'hello\n' } }] }, { text: 'Done.' }])
  const ended = place.start('--scope', 'src/**', '--verify', 'sleep 1; sh test/greeting.test.sh')
  await expect.poll(() => eventsIn(place.root).map(({ type }) => type), { timeout: 20_000 }).toContain('loop.stopped')
  ended.child.kill('SIGINT')
  const stopped = await ended.result()
  expect(stopped).toMatchObject({ exit: 130, told: { resumable: true, run: { outcome: 'cancelled' } } })
  const gone = await place.qed(['run', 'resume', (stopped.told['run'] as { id: string }).id, '--json'])
  expect(JSON.parse(gone.stdout)).toMatchObject({ turns: 2, run: { outcome: 'proven' } })
})

test('R-1: a run whose model did not answer can go on when it does, and does nothing again', async () => {
  const place = await scene([write, { error: { status: 401 } }])
  const { exit, told } = await place.fix('--scope', 'src/**')
  expect({ exit, told }).toMatchObject({ exit: 1, told: { resumable: true, changed: ['src/a'], run: { outcome: 'error' } } })
  place.play([write, { when: { sees: 'src/a' }, text: 'Done.' }])
  const gone = await place.qed(['run', 'resume', (told['run'] as { id: string }).id, '--json'])
  expect(JSON.parse(gone.stdout)).toMatchObject({ turns: 3, tool_calls: 1, text: 'Done.', run: { outcome: 'unproven' } })
})
