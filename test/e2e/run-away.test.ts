import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { DOUBLE_PROTOCOLS } from '../support/model-double/protocols.ts'
import { type Act, modelDouble } from '../support/model-double/server.ts'
import { workIn } from '../support/proving.ts'
import { BIN, type Ran } from '../support/qed.ts'
import { budgetNode } from '../support/run-store.ts'

// Models that do not stop, do not keep to what was agreed, or try to get more than they were given. Each ends in the state that
// its kind of fault has, and what is booked is what came.

const USAGE = { input: 100, output: 10 }
const call = (name: string, given: object) => ({ name, arguments: given })
const say = (...calls: object[]) => ({ calls, usage: USAGE })
const done = say(call('update', { status: 200, body: 'Done.' }))

interface Told {
  turns: number
  tool_calls: number
  tokens: number
  run: { status: string; outcome: string; outcome_reason: string | null }
}

/** A run and the most memory that its process had. */
async function away(turns: object[], args: string[] = [], { otherwise = done }: { otherwise?: object } = {}) {
  const place = workIn({ 'work/a': 'a\n' })
  await place.qed(['init'])
  const script = join(place.env['HOME'] ?? '', 'script.json')
  writeFileSync(script, JSON.stringify({ scripts: { main: { turns, otherwise } } }))
  const ran = await watched(place, ['fix', 'x', '--scope', 'work/**', '--model', `script:${script}`, '--json', ...args])
  return { ...place, ...ran, told: JSON.parse(ran.stdout) as Told, node: budgetNode(place.root) }
}

async function watched({ root, env }: { root: string; env: Record<string, string> }, args: string[]): Promise<Ran & { peakMiB: number }> {
  const child = spawn(BIN, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let [stdout, stderr, peakMiB] = ['', '', 0]
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const timer = setInterval(() => (peakMiB = Math.max(peakMiB, peakOf(child.pid))), 20)
  const exit = await new Promise<number | null>(resolve => child.on('close', resolve))
  clearInterval(timer)
  return { exit, stdout, stderr, peakMiB }
}

function peakOf(pid: number | undefined): number {
  try {
    return Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

const ended = ({ exit, told: { turns, tool_calls, tokens, run } }: { exit: number | null; told: Told }) => ({
  exit,
  turns,
  tool_calls,
  tokens,
  outcome: run.outcome,
  reason: run.outcome_reason?.split(':')[0],
})

describe('a model that does not stop', () => {
  test('L-11: ends with its tool calls, to the call and to the token', async () => {
    const endless = Array.from({ length: 60 }, (_, i) => say(call('write', { path: `work/f${i}`, content: `${i}\n` })))
    const ran = await away(endless)
    expect(ended(ran)).toEqual({ exit: 7, turns: 21, tool_calls: 20, tokens: 21 * 110, outcome: 'budget', reason: 'tool_calls' })
    expect(ran.node).toMatchObject({ settled: { tokens: 21 * 110, toolCalls: 20, turns: 21 }, reserved: {}, closed: false })
    expect(readdirSync(join(ran.root, 'work'))).toHaveLength(21)
  })

  test('L-12: ends with its tokens: no turn is sent without room, and none of them is booked twice', async () => {
    const endless = Array.from({ length: 60 }, (_, i) => ({
      ...say(call('write', { path: `work/f${i}`, content: `${i}\n` })),
      usage: { input: 2000, output: 10 },
    }))
    const ran = await away(endless, ['--max-tokens', '10000', '--max-tool-calls', '99'])
    expect(ended(ran)).toMatchObject({ exit: 7, outcome: 'budget' })
    // After the first turn the prompt is counted as the model provider counts it: a fifth one does not fit.
    expect(ran.told).toMatchObject({ tool_calls: 4, tokens: 4 * 2010 })
    expect(ran.node).toMatchObject({ settled: { tokens: 4 * 2010 }, reserved: {}, closed: false })
  })

  test('L-56: ends with its turns where those are limited', async () => {
    const endless = Array.from({ length: 60 }, (_, i) => say(call('write', { path: `work/f${i}`, content: `${i}\n` })))
    const ran = await away(endless, ['--max-turns', '4'])
    expect(ended(ran)).toMatchObject({ exit: 7, tool_calls: 4, tokens: 440, outcome: 'budget', reason: 'budget' })
  })

  test('L-56: ends with its time where that is limited, also in the middle of a call', async () => {
    const ran = await away([say(call('bash', { command: 'sleep 60' }))], ['--max-seconds', '2'])
    expect(ended(ran)).toMatchObject({ exit: 7, outcome: 'budget', reason: 'wall_ms' })
    expect(ran.node.settled['wallMs']).toBeGreaterThanOrEqual(2000)
    expect(ran.node.reserved).toEqual({})
  })

  test('the same call again and again, or two in turn, is told and ended', async () => {
    const same = say(call('bash', { command: 'true' }))
    const once = await away([], [], { otherwise: same })
    expect(ended(once)).toEqual({ exit: 1, turns: 3, tool_calls: 3, tokens: 330, outcome: 'error', reason: 'loop_detected' })
    const other = say(call('bash', { command: 'echo' }))
    const turn = await away([same, other, same, other, same, other, same])
    expect(ended(turn)).toMatchObject({ exit: 1, turns: 6, outcome: 'error', reason: 'loop_detected' })
    expect(turn.node.settled).toMatchObject({ tokens: 660, toolCalls: 6 })
  })

  test('L-11: of many calls in one turn those within the budget run, and the others do not', async () => {
    const ran = await away(
      [say(...Array.from({ length: 8 }, (_, i) => call('write', { path: `work/f${i}`, content: 'x' })))],
      ['--max-tool-calls', '5'],
    )
    expect(ended(ran)).toEqual({ exit: 7, turns: 1, tool_calls: 5, tokens: 110, outcome: 'budget', reason: 'tool_calls' })
    expect(Array.from({ length: 8 }, (_, i) => existsSync(join(ran.root, `work/f${i}`)))).toEqual([
      true,
      true,
      true,
      true,
      true,
      false,
      false,
      false,
    ])
    expect(ran.node).toMatchObject({ settled: { toolCalls: 5 }, reserved: {} })
  })
})

describe('results that are too large', () => {
  test('100 MB from a command and a file of 50 MB cost neither memory nor room in the log', async () => {
    const big = 'work/big'
    const ran = await away(
      [
        say(call('bash', { command: 'head -c 100000000 /dev/zero | tr "\\0" x' })),
        say(call('bash', { command: `head -c 50000000 /dev/zero | tr "\\0" y > ${big}` })),
        say(call('read', { path: big }), call('grep', { pattern: 'y', path: big })),
        done,
      ],
      ['--max-tokens', '900000'],
    )
    expect(ended(ran)).toMatchObject({ exit: 0, tool_calls: 5, tokens: 440, outcome: 'unproven' })
    expect(ran.peakMiB).toBeLessThan(400)
    expect(statSync(join(ran.root, '.qed/qed.db')).size).toBeLessThan(2 << 20)
  })

  test('a reply much longer than what was agreed on is broken off, and what came of it is booked', async () => {
    const ran = await away([{ text: 'x'.repeat(30 << 20) }], ['--max-tokens', '6000'])
    expect(ended(ran)).toMatchObject({ exit: 1, outcome: 'error', reason: 'failed', tool_calls: 0 })
    expect(ran.node.settled['tokens']).toBeGreaterThan(1000)
    expect(ran.node.reserved).toEqual({})
    expect(ran.peakMiB).toBeLessThan(600)
  })
})

describe('budget games', () => {
  test('L-59: a model can neither set a budget nor write where it is kept', async () => {
    const ran = await away(
      [
        say(call('bash', { command: `${BIN} config set budget.tokens 99999999` })),
        say(call('write', { path: '.qed/config.json', content: '{"budget":{"tokens":99999999}}' })),
        say(call('bash', { command: `echo '{}' > .qed/config.json; rm -rf .qed/qed.db` })),
        say(call('bash', { command: `${BIN} run list; ${BIN} fix more --model script:x --max-tokens 99999999` })),
        done,
      ],
      ['--max-tokens', '30000'],
    )
    expect(ran.node.caps['tokens']).toBe(30_000)
    expect(readFileSync(join(ran.root, '.qed/config.json'), 'utf8')).not.toContain('99999999')
    expect(existsSync(join(ran.env['HOME'] ?? '', '.config/qed/config.json'))).toBe(false)
    expect((await ran.qed(['events', 'verify'])).exit).toBe(0)
    expect((await ran.json<{ items: object[] }>(['run', 'list', '--json'])).items).toHaveLength(1)
  })
})

describe('a model provider that lies', () => {
  const [compatible] = DOUBLE_PROTOCOLS
  const usageOf = (prompt: number, completion: number) => ({ prompt, cached: 0, cacheWrite: 0, completion, reasoning: 0 })

  async function against(acts: Act[], args: string[] = []) {
    const double = await modelDouble(acts)
    const place = workIn({ 'work/a': 'a\n' })
    const config = join(place.env['HOME'] ?? '', '.config/qed')
    mkdirSync(config, { recursive: true })
    const alias = { protocol: 'openai-compatible', model: 'm', base_url: `${double.url}/v1`, context: 100_000 }
    writeFileSync(join(config, 'config.json'), JSON.stringify({ models: { double: alias } }))
    await place.qed(['init'])
    const ran = await watched(place, ['fix', 'x', '--scope', 'work/**', '--model', 'double', '--json', ...args])
    return { ...place, ...ran, told: JSON.parse(ran.stdout) as Told, node: budgetNode(place.root), double }
  }
  const write = (i: number, usage: ReturnType<typeof usageOf>): Act => ({
    kind: 'stream',
    frames:
      compatible?.frames({
        usage,
        calls: [{ id: `c${i}`, name: 'write', arguments: [JSON.stringify({ path: `work/f${i}`, content: 'x' })] }],
      }) ?? [],
  })

  test.each([
    ['nothing', 0, 0],
    ['less than nothing', -5000, -50],
    ['no number', Number.NaN, Number.NaN],
  ])('L-8: a count of %s is replaced by a careful guess, and the loop ends', async (_words, prompt, completion) => {
    const ran = await against(
      Array.from({ length: 30 }, (_, i) => write(i, usageOf(prompt, completion))),
      ['--max-tokens', '20000'],
    )
    expect(ended(ran)).toMatchObject({ exit: 7, outcome: 'budget' })
    expect(ran.told.tokens).toBeGreaterThan(ran.told.turns * 500)
    expect(ran.node).toMatchObject({ settled: { tokens: ran.told.tokens, toolCalls: ran.told.tool_calls }, reserved: {} })
    expect(ran.told.tokens).toBeLessThanOrEqual(20_000)
  })

  test('L-58: an enormous count is booked in full, closes the budget, and the calls of its turn still run', async () => {
    const ran = await against([write(0, usageOf(9e15, 10)), write(1, usageOf(1, 1))])
    expect(ended(ran)).toMatchObject({ exit: 7, turns: 1, tool_calls: 1, outcome: 'budget', reason: 'tokens' })
    expect(ran.node).toMatchObject({ settled: { tokens: 9e15 + 10, toolCalls: 1 }, reserved: {}, closed: true })
  })

  test('L-10: announced calls that never come end the loop after the second time', async () => {
    const frames = (compatible?.frames({ usage: usageOf(100, 10), text: ['I call it now.'] }) ?? []).map(frame =>
      frame.replace('"finish_reason":"stop"', '"finish_reason":"tool_calls"'),
    )
    const ran = await against([{ kind: 'stream', frames }])
    expect(ended(ran)).toEqual({ exit: 1, turns: 2, tool_calls: 0, tokens: 220, outcome: 'error', reason: 'empty_tool_use' })
  })

  test('thinking without end is broken off, booked, and nothing of it is kept in memory', async () => {
    const [, piece = ''] = compatible?.frames({ usage: usageOf(1, 1), thinking: ['hmm '.repeat(20_000)] }) ?? []
    const ran = await against([{ kind: 'stream', frames: Array.from({ length: 300 }, () => piece), hang: true }], ['--max-tokens', '9000'])
    expect(ended(ran)).toMatchObject({ exit: 1, outcome: 'error', reason: 'failed' })
    expect(ran.node.reserved).toEqual({})
    expect(ran.peakMiB).toBeLessThan(500)
    await ran.double.left
  })
})
