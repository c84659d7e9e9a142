import { describe, expect, test } from 'vitest'
import type { EngineLoopMessage, EngineLoopResponse } from '../../src/kernel/frames.ts'
import type { ModelPart } from '../../src/models/port.ts'
import { clientOf, history, KEY, tools } from '../support/model-double/client.ts'
import { DOUBLE_PROTOCOLS, type DoubleProtocol } from '../support/model-double/protocols.ts'
import type { DoubleReply } from '../support/model-double/reply.ts'
import type { Act, ModelDouble } from '../support/model-double/server.ts'

const usage = { prompt: 1000, cached: 600, cacheWrite: 100, completion: 50, reasoning: 20 }

interface Sent {
  answer: EngineLoopResponse
  parts: ModelPart[]
  waits: number[]
  double: ModelDouble
}

async function send(protocol: DoubleProtocol, acts: Act[], options: { signal?: AbortSignal; onPart?: () => void } = {}): Promise<Sent> {
  const { client, double, parts, waits } = await clientOf(protocol, acts, options.onPart ? { onPart: options.onPart } : {})
  const { signal } = options
  const answer = await client.send(history, tools, { personaSlug: 'p', maxTokens: 4000, ...(signal && { signal }) })
  return { answer, parts, waits, double }
}

const streamed = (protocol: DoubleProtocol, reply: Partial<DoubleReply>): Act => ({
  kind: 'stream',
  frames: protocol.frames({ usage, ...reply }),
})
const failing = (protocol: DoubleProtocol, status: number, message: string, headers: Record<string, string> = {}): Act => ({
  kind: 'status',
  status,
  body: protocol.error(status, message),
  headers,
})
const joined = (parts: ModelPart[], kind: 'text' | 'thinking'): string => parts.map(part => (part.kind === kind ? part.text : '')).join('')

describe.each(DOUBLE_PROTOCOLS.map(protocol => [protocol.name, protocol] as const))('%s', (_, protocol) => {
  const hello = streamed(protocol, { text: ['Hel', 'lo ', '🦊'] })

  test('streams text in pieces that join to the answer', async () => {
    const { answer, parts } = await send(protocol, [hello])
    expect(answer).toMatchObject({ stop: 'text', content: 'Hello 🦊', assistantMessage: { role: 'assistant', content: 'Hello 🦊' } })
    expect(parts.filter(({ kind }) => kind === 'text').length).toBeGreaterThan(1)
    expect(joined(parts, 'text')).toBe('Hello 🦊')
  })

  test('streams parallel calls, whose pieces join to their arguments', async () => {
    const calls = [
      { id: 'call_a', name: 'read', arguments: ['{"path"', ':"a.txt"}'] },
      { id: 'call_b', name: 'ls', arguments: ['{"pa', 'th":"b"}'] },
    ]
    const { answer, parts } = await send(protocol, [streamed(protocol, { text: ['I look.'], calls })])
    expect(answer).toMatchObject({ stop: 'tool_use', assistantMessage: { content: 'I look.' } })
    const made = answer.stop === 'error' ? [] : (answer.assistantMessage.toolCalls ?? [])
    expect(made.map(({ name, arguments: text }) => [name, JSON.parse(text)])).toEqual([
      ['read', { path: 'a.txt' }],
      ['ls', { path: 'b' }],
    ])
    const ids = made.map(({ id }) => id)
    expect(protocol.tells.callIds ? ids : [...new Set(ids)]).toEqual(protocol.tells.callIds ? ['call_a', 'call_b'] : ids)
    for (const { id, arguments: text } of made) {
      expect(parts.map(part => (part.kind === 'call-delta' && part.id === id ? part.text : '')).join('')).toBe(text)
    }
  })

  test.runIf(protocol.tells.thinking)('streams thinking beside the text, and keeps it out of the answer', async () => {
    const { answer, parts } = await send(protocol, [streamed(protocol, { thinking: ['Hm, ', 'well.'], text: ['Yes.'] })])
    expect(joined(parts, 'thinking')).toBe('Hm, well.')
    expect(answer).toMatchObject({ stop: 'text', content: 'Yes.' })
  })

  test('L-54 tells the tokens, with what came from the cache', async () => {
    const { answer } = await send(protocol, [hello])
    const { cacheWrite, reasoning } = protocol.tells
    expect(answer).toMatchObject({
      tokensUsed: 1050,
      usage: {
        prompt: 1000,
        cached: 600,
        cacheWrite: cacheWrite ? 100 : 0,
        completion: 50,
        reasoning: reasoning ? 20 : 0,
        total: 1050,
      },
    })
  })

  test('L-50 429 waits as long as it is asked to, then goes on', async () => {
    const { answer, waits, double } = await send(protocol, [failing(protocol, 429, 'slow down', { 'retry-after': '0.02' }), hello])
    expect(answer).toMatchObject({ stop: 'text' })
    expect(waits).toEqual([20])
    expect(double.requests).toHaveLength(2)
  })

  test('L-50 429 that asks for more than the patience ends at once with the time', async () => {
    const { answer, double } = await send(protocol, [failing(protocol, 429, 'quota', { 'retry-after': '3600' })])
    expect(answer).toMatchObject({
      stop: 'error',
      code: 'rate_limited',
      message: 'quota',
      retryAt: expect.stringMatching(/T.*Z$/) as string,
    })
    expect(double.requests).toHaveLength(1)
  })

  test.each([500, 529, 502, 503, 504])('L-49 %i is tried again', async status => {
    const { answer, double } = await send(protocol, [failing(protocol, status, 'later', { 'retry-after': '0' }), hello])
    expect(answer).toMatchObject({ stop: 'text' })
    expect(double.requests).toHaveLength(2)
  })

  test.each([
    [400, 'failed'],
    [401, 'auth_missing'],
    [403, 'auth_missing'],
    [404, 'endpoint_missing'],
    [413, 'failed'],
    [422, 'failed'],
  ])('L-51 %i is not tried again: %s', async (status, code) => {
    const { answer, double } = await send(protocol, [failing(protocol, status, 'no'), hello])
    expect(answer).toMatchObject({ stop: 'error', code, message: 'no' })
    expect(double.requests).toHaveLength(1)
  })

  test('L-51 a context overflow is known as one', async () => {
    const { answer } = await send(protocol, [failing(protocol, 400, 'prompt is too long: 210000 tokens > 200000 maximum')])
    expect(answer).toMatchObject({ stop: 'error', code: 'context_overflow' })
  })

  test('L-36 a stream that is cut is a failed send, and is not repeated once something of it was taken', async () => {
    const frames = protocol.frames({ usage, text: ['Hel', 'lo'] })
    const { answer, double } = await send(protocol, [
      { kind: 'stream', frames: frames.slice(0, -2).filter(frame => !isEnd(frame)), cut: true },
      hello,
    ])
    expect(answer).toMatchObject({ stop: 'error', code: 'failed' })
    expect(double.requests).toHaveLength(1)
  })

  test('L-36 a stream that ends politely before its end is a failed send too', async () => {
    const frames = protocol.frames({ usage, text: ['Hel', 'lo'] }).filter(frame => !isEnd(frame))
    const { answer } = await send(protocol, [{ kind: 'stream', frames }])
    expect(answer).toMatchObject({ stop: 'error', code: 'failed' })
  })

  test('L-36 nothing of a call in a cut stream is carried out', async () => {
    const frames = protocol
      .frames({ usage, calls: [{ id: 'x', name: 'read', arguments: ['{"path"', ':"a"}'] }] })
      .filter(frame => !isEnd(frame))
    const { answer } = await send(protocol, [{ kind: 'stream', frames, cut: true }])
    expect(answer).toMatchObject({ stop: 'error', code: 'failed' })
  })

  const whole = protocol.frames({ usage, text: ['Hel', 'lo'] })
  const begun = whole.findIndex(frame => frame.includes('Hel')) + 1

  test('L-49 a malformed chunk is a failed send, not an answer with a hole', async () => {
    const frames = whole.toSpliced(begun, 0, 'data: {"broken": \n\n')
    const { answer, double } = await send(protocol, [{ kind: 'stream', frames }, hello])
    expect(answer).toMatchObject({ stop: 'error', code: 'failed' })
    expect(double.requests).toHaveLength(1)
  })

  test('an error in the middle of a stream is a failed send with its message', async () => {
    const frames = whole.toSpliced(begun, 0, protocol.brokenBy('overloaded just now'))
    const { answer } = await send(protocol, [{ kind: 'stream', frames }])
    expect(answer).toMatchObject({ stop: 'error', code: 'failed', message: expect.stringContaining('overloaded just now') as string })
  })

  test.each<[string, Act, string]>([
    ['a connection that is reset', { kind: 'reset' }, 'gateway'],
    ['a malformed chunk', { kind: 'stream', frames: ['data: {"broken": \n\n'] }, 'server'],
    ['an answer that is no stream', { kind: 'status', status: 200, body: 'hello' }, 'server'],
  ])('L-49 %s before anything of a reply came is tried again', async (_name, act, kind) => {
    const abort = new AbortController()
    const kinds: string[] = []
    const onRetry = (about: { kind: string }): void => {
      kinds.push(about.kind)
      abort.abort()
    }
    const { client } = await clientOf(protocol, [act], { onRetry })
    await client.send(history, tools, { personaSlug: 'p', maxTokens: 4000, signal: abort.signal })
    expect(kinds).toEqual([kind])
  })

  test('L-19 a reply that was cut at its limit says so', async () => {
    const { answer } = await send(protocol, [streamed(protocol, { text: ['Hel'], end: 'length' })])
    expect(answer).toMatchObject({ stop: 'text', content: 'Hel', truncated: true })
  })

  test('L-51 a refusal of the model provider is a failure that is not tried again', async () => {
    const { answer, double } = await send(protocol, [streamed(protocol, { text: ['I '], end: 'refused' }), hello])
    expect(answer).toMatchObject({ stop: 'error', code: 'failed' })
    expect(double.requests).toHaveLength(1)
  })

  test('an abort in the middle ends the request, also for the model provider', async () => {
    const abort = new AbortController()
    const frames = protocol.frames({ usage, text: ['Hel', 'lo'] }).filter(frame => !isEnd(frame))
    const { answer, double } = await send(protocol, [{ kind: 'stream', frames, hang: true }], {
      signal: abort.signal,
      onPart: () => abort.abort(),
    })
    expect(answer).toMatchObject({ stop: 'error', code: 'failed', message: 'The request was stopped.' })
    await double.left
  })

  test('the key goes to the model provider and stands in no message, even where a server sends it back', async () => {
    const { answer, double } = await send(protocol, [failing(protocol, 401, `Incorrect key ${KEY} given`)])
    expect(JSON.stringify(double.requests[0]?.headers)).toContain(KEY)
    expect(double.requests[0]?.path).not.toContain(KEY)
    expect(answer).toMatchObject({ message: 'Incorrect key [key] given' })
  })

  test('a longer history begins with the very bytes of the shorter one', async () => {
    const { client, double } = await clientOf(protocol, [hello])
    const options = { personaSlug: 'p', maxTokens: 4000 }
    const grown: EngineLoopMessage[] = [
      ...history,
      { role: 'assistant', content: 'I look.', toolCalls: [{ id: 'call_1', name: 'read', arguments: '{"path":"a"}' }] },
      { role: 'tool', content: 'text of a', toolCallId: 'call_1', toolName: 'read' },
    ]
    const copied = structuredClone(grown)
    await client.send(history, tools, options)
    await client.send(grown, tools, options)
    await client.send(copied, structuredClone(tools), options)
    const bodies = double.requests.map(({ body }) => body)
    expect(bodies[2]).toBe(bodies[1])
    const parsed = bodies.map(body => JSON.parse(body) as Record<string, unknown>)
    const [short, long] = parsed.map(body => protocol.conversation(body))
    expect(JSON.stringify(long).startsWith(JSON.stringify(short).slice(0, -1))).toBe(true)
    const [first, second] = parsed.map(body => JSON.stringify({ ...body, messages: 0, input: 0, contents: 0 }))
    expect(second).toBe(first)
  })
})

test('C-75: under anthropic the tools and system prompt, the end of the request before and the newest frames are kept', async () => {
  const anthropic = DOUBLE_PROTOCOLS.find(({ name }) => name === 'anthropic')
  if (!anthropic) throw new Error('no protocol')
  const { client, double } = await clientOf(anthropic, [streamed(anthropic, { text: ['hi'] })])
  const turn = (n: number): EngineLoopMessage[] => [
    { role: 'assistant', content: `turn ${n}`, toolCalls: [{ id: `c${n}`, name: 'read', arguments: '{"path":"a"}' }] },
    { role: 'tool', content: `result ${n}`, toolCallId: `c${n}`, toolName: 'read' },
  ]
  const requests = [history, [...history, ...turn(1)], [...history, ...turn(1), ...turn(2)]]
  for (const messages of requests) await client.send(messages, tools, { personaSlug: 'p', maxTokens: 4000 })
  const marks = double.requests.map(({ body }) => marksIn(JSON.parse(body) as Record<string, unknown>))
  expect(marks).toEqual([
    ['system: You are careful.', 'user: Look at a and b.'],
    ['system: You are careful.', 'user: Look at a and b.', 'user: result 1'],
    ['system: You are careful.', 'user: result 1', 'user: result 2'],
  ])
  expect(double.requests.map(({ body }) => Object.keys(JSON.parse(body) as object).includes('cache_control'))).toEqual([
    false,
    false,
    false,
  ])
})

/** What stands before each mark of a request. */
function marksIn({ system, messages }: Record<string, unknown>): string[] {
  type Block = { text?: string; content?: unknown; cache_control?: { type: string } }
  const said = (role: string, blocks: Block[]): string[] =>
    blocks.flatMap(({ text, content, cache_control }) =>
      cache_control?.type === 'ephemeral' ? [`${role}: ${text ?? String(content)}`] : [],
    )
  return [
    ...said('system', system as Block[]),
    ...(messages as { role: string; content: Block[] }[]).flatMap(({ role, content }) => said(role, content)),
  ]
}

test('L-55 the model provider’s own figure of the cost stands over ours', async () => {
  const [compatible] = DOUBLE_PROTOCOLS
  if (!compatible) throw new Error('no protocol')
  const frames = compatible.frames({ usage, text: ['hi'] }).map(frame => frame.replace('"usage":{', '"usage":{"cost":0.00012345,'))
  const { client } = await clientOf(compatible, [{ kind: 'stream', frames }], { prices: { in: 3, out: 15 } })
  expect(await client.send(history, tools, { personaSlug: 'p', maxTokens: 4000 })).toMatchObject({ usage: { costMicroUsd: 124 } })
})

test.each(DOUBLE_PROTOCOLS.map(protocol => [protocol.name, protocol] as const))(
  'without a limit of its own a request under %s names none that is no number',
  async (_, protocol) => {
    const { client, double } = await clientOf(protocol, [streamed(protocol, { text: ['hi'] })])
    expect(await client.send(history, tools, { personaSlug: 'p' })).toMatchObject({ stop: 'text' })
    expect(double.requests[0]?.body).not.toMatch(/max[a-zA-Z_]*[tT]okens":null/)
  },
)

/** Whether a frame tells that the reply is complete. */
function isEnd(frame: string): boolean {
  return /finish_reason":"|"usage":\{"prompt_tokens|\[DONE\]|response\.completed|message_delta|message_stop|finishReason|response\.incomplete/.test(
    frame,
  )
}
