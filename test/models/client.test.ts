import { describe, expect, test } from 'vitest'
import { classify } from '../../src/models/classify.ts'
import { createModelClient, type ModelClientOptions, type Reserve } from '../../src/models/client.ts'
import { ModelFailed } from '../../src/models/failure.ts'
import type { Model, ModelPart } from '../../src/models/port.ts'
import { createGates } from '../../src/models/retry/gates.ts'
import { createRetryPlanner, planRetry } from '../../src/models/retry/plan.ts'
import { readRetryAfter } from '../../src/models/retry/retry-after.ts'
import { costOf, toUsage } from '../../src/models/usage.ts'

type Step = ModelPart[] | ModelFailed | (() => ModelPart[])
const finish: ModelPart = { kind: 'finish', reason: 'stop', usage: toUsage({ prompt: 100, completion: 20 }) }

function model(steps: Step[]): Model {
  const left = [...steps]
  return {
    name: 'm',
    gate: 'g',
    scripted: false,
    async *stream() {
      const step = left.length > 1 ? left.shift() : left[0]
      if (step instanceof ModelFailed) throw step
      yield* typeof step === 'function' ? step() : (step ?? [])
    },
  }
}
const client = (steps: Step[], more: Partial<ModelClientOptions> = {}) =>
  createModelClient({ model: model(steps), gates: createGates(), clock: { now: () => 0 }, random: () => 0, ...more })
const send = (of: ReturnType<typeof client>, options = {}) =>
  of.send([{ role: 'user', content: 'hi' }], [], { personaSlug: 'p', maxTokens: 1000, ...options })
const waitsNothing = new ModelFailed('rate', 'slow down', { retryAfterMs: 0 })

describe('one turn with a model', () => {
  test('text, usage and cost come out as one answer', async () => {
    const answer = await send(
      client([[{ kind: 'text', text: 'he' }, { kind: 'text', text: 'llo' }, finish]], { prices: { in: 3, out: 15 } }),
    )
    expect(answer).toMatchObject({ stop: 'text', content: 'hello', tokensUsed: 120, usage: { costMicroUsd: 600 } })
  })

  test('L-36: a stream that ends without its end is a failed send, whatever had come', async () => {
    expect(await send(client([[{ kind: 'text', text: 'half' }]]))).toMatchObject({ stop: 'error', code: 'failed', partial: 'half' })
  })

  test('L-49: what passes with time is tried again, before anything of a reply was taken', async () => {
    const retries: number[] = []
    const answer = await send(client([waitsNothing, waitsNothing, [finish]], { onRetry: ({ retry }) => retries.push(retry) }))
    expect(answer).toMatchObject({ stop: 'text' })
    expect(retries).toEqual([1, 2])
  })

  test('L-49: once a part was taken it is not', async () => {
    const broken = () => {
      throw waitsNothing
    }
    const parts = function* (): Generator<ModelPart> {
      yield { kind: 'text', text: 'a' }
      broken()
    }
    expect(await send(client([() => parts() as unknown as ModelPart[], [finish]]))).toMatchObject({ stop: 'error', code: 'rate_limited' })
  })

  test('L-57: below the least room for an answer nothing is sent', async () => {
    expect(await send(client([[finish]]), { maxTokens: 255 })).toMatchObject({ stop: 'error', code: 'budget' })
  })

  test('L-57: every try is reserved, settled by what it really cost, and released when nothing came', async () => {
    const log: string[] = []
    const reserve: Reserve = ({ prompt, reply }) => {
      log.push(`reserve ${prompt > 0} ${reply}`)
      return { reply, settle: actual => void log.push(`settle ${actual.tokens}`), release: () => void log.push('release') }
    }
    await send(client([waitsNothing, [finish]], { reserve }))
    expect(log).toEqual(['reserve true 1000', 'release', 'reserve true 1000', 'settle 120'])
    expect(await send(client([[finish]], { reserve: () => ({ refused: 'the mission is used up' }) }))).toEqual({
      stop: 'error',
      code: 'budget',
      message: 'the mission is used up',
    })
  })

  test('L-50: an abort ends the wait at once', async () => {
    const abort = new AbortController()
    const waiting = send(client([new ModelFailed('server', 'later')], { onRetry: () => abort.abort() }), { signal: abort.signal })
    expect(await waiting).toMatchObject({ stop: 'error', code: 'failed' })
  })

  test('calls that a model wrote into its text are found, the doubtful ones marked', async () => {
    const tools = [{ name: 'read', description: '', parameters: { type: 'object', properties: { path: { type: 'string' } } } }]
    const text = '[TOOL_CALLS] [{"name":"read","arguments":{"path":"a"}}]'
    const answer = await client([[{ kind: 'text', text }, finish]]).send([], tools, { personaSlug: 'p', maxTokens: 1000 })
    expect(answer).toMatchObject({
      stop: 'tool_use',
      assistantMessage: { content: '', toolCalls: [{ name: 'read', arguments: '{"path":"a"}' }] },
    })
  })
})

describe('what went wrong', () => {
  const api = (statusCode: number, message = 'no', responseHeaders = {}) =>
    Object.assign(new Error(message), { statusCode, responseHeaders })
  test.each([
    [api(401), 'auth'],
    [api(404), 'missing'],
    [api(429), 'rate'],
    [api(500), 'server'],
    [api(529), 'server'],
    [api(503), 'gateway'],
    [api(400), 'request'],
    [api(400, 'This model has a maximum context length of 8192 tokens'), 'overflow'],
    [api(400, 'prompt is too long: 210000 tokens > 200000 maximum'), 'overflow'],
    [Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) }), 'gateway'],
    [new SyntaxError('Unexpected token'), 'server'],
    [new DOMException('stopped', 'AbortError'), 'aborted'],
  ])('%s is %s', (thrown, kind) => {
    expect(classify(thrown, { now: 0 }).kind).toBe(kind)
  })

  test('L-50: delays double up to half a minute, with a quarter of chance on top', () => {
    const failure = new ModelFailed('rate', '')
    const ms = [0, 1, 2, 5, 9].map(retry => planRetry(failure, { retry, waitedMs: 0, random: 0 }))
    expect(ms).toEqual([1000, 2000, 4000, 30000, 30000].map(wait => ({ kind: 'wait', ms: wait })))
    expect(planRetry(failure, { retry: 0, waitedMs: 0, random: 0.999 })).toEqual({ kind: 'wait', ms: 1250 })
  })

  test('L-49, L-50: the whole patience of a kind is never exceeded, and its own wish beyond that ends it at once', () => {
    expect(planRetry(new ModelFailed('gateway', ''), { retry: 5, waitedMs: 29_000, random: 0 })).toEqual({ kind: 'give-up' })
    expect(planRetry(new ModelFailed('rate', '', { retryAfterMs: 700_000 }), { retry: 0, waitedMs: 0, random: 0 })).toEqual({
      kind: 'give-up',
      retryAfterMs: 700_000,
    })
    for (const kind of ['auth', 'missing', 'overflow', 'request', 'refused', 'aborted'] as const)
      expect(planRetry(new ModelFailed(kind, ''), { retry: 0, waitedMs: 0, random: 0 })).toEqual({ kind: 'give-up' })
  })

  test('L-49: what one kind of failure was waited for takes nothing from the patience with another', () => {
    const next = createRetryPlanner()
    const gateway = new ModelFailed('gateway', 'bad gateway', { status: 502 })
    expect(next(new ModelFailed('rate', '', { retryAfterMs: 60_000 }), 0)).toEqual({ kind: 'wait', ms: 60_000 })
    expect(next(gateway, 0)).toEqual({ kind: 'wait', ms: 2_000 })
    const more = [1, 2, 3, 4].map(() => next(gateway, 0))
    expect(more).toEqual([...[4_000, 8_000, 16_000].map(ms => ({ kind: 'wait', ms })), { kind: 'give-up' }])
    expect(next(new ModelFailed('rate', '', { retryAfterMs: 540_000 }), 0)).toEqual({ kind: 'wait', ms: 540_000 })
    expect(next(new ModelFailed('rate', '', { retryAfterMs: 1 }), 0)).toEqual({ kind: 'give-up', retryAfterMs: 1 })
  })

  test('L-50: whoever asks again and again for no wait at all is asked in growing pauses, and not without end', () => {
    const next = createRetryPlanner()
    const plans = Array.from({ length: 40 }, () => next(new ModelFailed('rate', '', { retryAfterMs: 0 }), 0))
    expect(plans.slice(0, 5)).toEqual([0, 0, 0, 8_000, 16_000].map(ms => ({ kind: 'wait', ms })))
    expect(plans.findIndex(({ kind }) => kind === 'give-up')).toBe(24)
  })

  test('L-50: a wish beyond the patience is a rate limit with its time, whatever the status was', async () => {
    const busy = new ModelFailed('gateway', 'down for maintenance', { status: 503, retryAfterMs: 120_000 })
    expect(await send(client([busy]))).toEqual({
      stop: 'error',
      code: 'rate_limited',
      message: 'down for maintenance',
      retryAt: '1970-01-01T00:02:00.000Z',
    })
    expect(await send(client([new ModelFailed('auth', 'no key')]))).toEqual({ stop: 'error', code: 'auth_missing', message: 'no key' })
  })

  test('retry-after is read as seconds, as a date, or not at all', () => {
    expect(readRetryAfter({ 'retry-after': '2' }, 0)).toBe(2000)
    expect(readRetryAfter({ 'retry-after': 'Thu, 01 Jan 1970 00:00:05 GMT' }, 1000)).toBe(4000)
    expect(readRetryAfter({ 'retry-after': 'soon' }, 0)).toBeUndefined()
  })
})

test('L-55: cost is rounded up once per call, and cached tokens have their own price', () => {
  const usage = { prompt: 1000, cached: 800, cacheWrite: 100, completion: 10, reasoning: 0, total: 1010 }
  expect(costOf(usage, { in: 3, out: 15, cached_in: 0.3, write_in: 3.75 })).toBe(300 + 240 + 375 + 150)
  expect(costOf({ ...usage, prompt: 1, cached: 0, cacheWrite: 0, completion: 0 }, { in: 0.1, out: 1 })).toBe(1)
})

test('L-52: no more than so many go through one gate at once', async () => {
  const gates = createGates(2)
  const leave = [await gates.enter('g'), await gates.enter('g')]
  let third = false
  const waiting = gates.enter('g').then(done => {
    third = true
    return done
  })
  await new Promise(setImmediate)
  expect(third).toBe(false)
  leave[0]?.()
  await waiting
  expect(third).toBe(true)
})
