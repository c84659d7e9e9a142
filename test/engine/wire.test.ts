import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chooseModel } from '../../src/engine/wire/choose-model.ts'
import type { WireEvent } from '../../src/engine/wire/deltas.ts'
import { type EngineRequest, readEngineRequest } from '../../src/engine/wire/request.ts'
import { serveTurn, type TurnPorts } from '../../src/engine/wire/serve-turn.ts'
import type { EngineLoopMessage } from '../../src/kernel/frames.ts'
import { ModelFailed } from '../../src/models/failure.ts'
import type { ModelPart, ModelRequest } from '../../src/models/port.ts'
import type { ModelSpec } from '../../src/models/resolve/spec.ts'
import { createGates } from '../../src/models/retry/gates.ts'
import { toUsage } from '../../src/models/usage.ts'
import { specAt } from '../support/model-double/client.ts'

const user: EngineLoopMessage = { role: 'user', content: 'go' }
const calling = (...ids: string[]): EngineLoopMessage => ({
  role: 'assistant',
  content: '',
  toolCalls: ids.map(id => ({ id, name: 'read', arguments: '{}' })),
})
const answering = (toolCallId?: string): EngineLoopMessage => ({
  role: 'tool',
  content: 'x',
  ...(toolCallId !== undefined && { toolCallId }),
})
const request = (more: object = {}): unknown => ({ personaSlug: 'p', messages: [user], tools: [], ...more })
const tool = (name: string) => ({ name, description: name })

describe('L-31 what is checked before a model is called', () => {
  test.each<[string, unknown]>([
    ['one message', request()],
    ['calls answered in any order', request({ messages: [user, calling('a', 'b'), answering('b'), answering('a')] })],
    ['a system frame between', request({ messages: [user, calling('a'), { role: 'system', content: 's' }, answering('a')] })],
    ['an id that was used in an earlier turn', request({ messages: [user, calling('a'), answering('a'), calling('a'), answering('a')] })],
    ['unknown keys', request({ later: 1, messages: [{ ...user, more: 2 }] })],
    [
      'the limits themselves',
      request({ messages: Array.from({ length: 2000 }, () => user), tools: Array.from({ length: 128 }, () => tool('t')) }),
    ],
  ])('%s is taken', (_, body) => {
    expect(readEngineRequest(body)).toMatchObject({ ok: true })
  })

  test.each<[string, unknown, string]>([
    ['no message', request({ messages: [] }), '/messages'],
    ['no object', 'hello', '/'],
    ['no persona', { messages: [user], tools: [] }, '/personaSlug'],
    ['an unknown role', request({ messages: [user, { role: 'robot', content: '' }] }), '/messages/1/role'],
    ['too many messages', request({ messages: Array.from({ length: 2001 }, () => user) }), '/messages'],
    ['too many tools', request({ tools: Array.from({ length: 129 }, () => tool('t')) }), '/tools'],
    ['a temperature over 2', request({ temperature: 2.1 }), '/temperature'],
    ['an unknown command', request({ command: 'destroy' }), '/command'],
    ['an answer without a call', request({ messages: [user, answering('a')] }), '/messages/1/toolCallId'],
    ['an answer that names no call', request({ messages: [user, calling('a'), answering()] }), '/messages/2/toolCallId'],
    ['an answer before its call', request({ messages: [user, answering('a'), calling('a')] }), '/messages/1/toolCallId'],
    ['a second answer', request({ messages: [user, calling('a'), answering('a'), answering('a')] }), '/messages/3/toolCallId'],
    ['a call that the user talks over', request({ messages: [user, calling('a', 'b'), answering('a'), user] }), '/messages/1/toolCalls/1'],
    ['a call that the assistant goes on without', request({ messages: [user, calling('a'), calling('b')] }), '/messages/1/toolCalls/0'],
    ['a call at the end without its answer', request({ messages: [user, calling('a')] }), '/messages/1/toolCalls/0'],
  ])('%s is refused with the path of the fault', (_, body, path) => {
    expect(readEngineRequest(body)).toMatchObject({ ok: false, failure: { status: 400, code: 'bad_request', path } })
  })

  test('nesting that would exhaust a stack is refused', () => {
    let parameters: unknown = {}
    for (let i = 0; i < 5000; i++) parameters = [parameters]
    expect(readEngineRequest(request({ tools: [{ ...tool('t'), parameters }] }))).toMatchObject({
      ok: false,
      failure: { code: 'bad_request' },
    })
  })
})

describe('L-30 a plan or explanation that offers a mutating tool is refused with the names', () => {
  test.each(['write', 'edit', 'multi_edit', 'apply_patch', 'bash', 'shell', 'sh'])('%s', name => {
    for (const command of ['plan', 'explain']) {
      expect(readEngineRequest(request({ command, tools: [tool('read'), tool(name)] }))).toMatchObject({
        ok: false,
        failure: { status: 403, code: 'tool_refused', message: expect.stringContaining(`: ${name}.`) as string },
      })
    }
    expect(readEngineRequest(request({ command: 'code', tools: [tool(name)] }))).toMatchObject({ ok: true })
    expect(readEngineRequest(request({ tools: [tool(name)] }))).toMatchObject({ ok: true })
  })
})

test('L-29 the model is the request’s, else the command’s, else the persona’s', () => {
  const asked = (more: Partial<EngineRequest>): EngineRequest => ({ personaSlug: 'p', messages: [user], tools: [], ...more })
  const choice = { env: { QED_ENGINE_MODEL_PLAN: 'env' }, ofCommand: () => 'setting', ofPersona: (slug: string) => `of ${slug}` }
  expect(chooseModel(asked({ model: 'own', command: 'plan' }), choice)).toBe('own')
  expect(chooseModel(asked({ command: 'plan' }), choice)).toBe('env')
  expect(chooseModel(asked({ command: 'code' }), choice)).toBe('setting')
  expect(chooseModel(asked({ command: 'code' }), { ...choice, ofCommand: () => null })).toBe('of p')
  expect(chooseModel(asked({}), choice)).toBe('of p')
  expect(chooseModel(asked({}), { ...choice, ofPersona: () => null })).toBeNull()
})

const spec: ModelSpec = { ...specAt({ protocol: 'script', file: '' }), name: 'm' }
const finish: ModelPart = { kind: 'finish', reason: 'stop', usage: toUsage({ prompt: 10, completion: 5 }) }
const ports = (stream: (request: ModelRequest) => AsyncIterable<ModelPart>, more: Partial<TurnPorts> = {}): TurnPorts => ({
  opened: { spec, model: { name: 'm-1', gate: 'g', scripted: false, stream } },
  gates: createGates(),
  clock: { now: () => 0 },
  random: () => 0,
  signal: new AbortController().signal,
  timeoutMs: 10_000,
  ...more,
})
const asked: EngineRequest = { personaSlug: 'p', messages: [user], tools: [tool('read')] }
async function* saying(...parts: ModelPart[]): AsyncIterable<ModelPart> {
  yield* parts
}
function failing(thrown: Error): AsyncIterable<ModelPart> {
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(thrown) }) }
}

describe('one turn', () => {
  test('L-28 text, with the model that answered and its tokens', async () => {
    expect(
      await serveTurn(
        asked,
        ports(() => saying({ kind: 'text', text: ' hi\n' }, finish)),
      ),
    ).toEqual({
      ok: true,
      reply: {
        stop: 'text',
        content: 'hi',
        tokensUsed: 15,
        model: 'm-1',
        usage: { prompt: 10, cached: 0, cacheWrite: 0, completion: 5, reasoning: 0, total: 15 },
      },
    })
  })

  test('a reply that was cut stops with length', async () => {
    expect(
      await serveTurn(
        asked,
        ports(() => saying({ kind: 'text', text: 'hi' }, { ...finish, reason: 'length' })),
      ),
    ).toMatchObject({
      reply: { stop: 'length', content: 'hi' },
    })
  })

  test('a call that the dialect doubts is not among the calls that may run', async () => {
    const text = '<tool_call>{"name":"read","arguments":{"path":"a","path":"b"}}</tool_call>'
    const turn = await serveTurn(
      asked,
      ports(() => saying({ kind: 'text', text }, finish)),
    )
    expect(turn).toMatchObject({
      reply: { stop: 'tool_use', rejected: [{ name: 'read', message: expect.any(String) as string }] },
    })
    expect(turn).not.toHaveProperty('reply.toolCalls')
  })

  test.each([
    [new ModelFailed('rate', 'later', { retryAfterMs: 700_000 }), { status: 429, code: 'rate_limited', retryAfterMs: 700_000 }],
    [new ModelFailed('auth', 'who?'), { status: 502, code: 'auth_missing' }],
    [new ModelFailed('request', 'no'), { status: 502, code: 'failed' }],
    [new ModelFailed('overflow', 'long'), { status: 502, code: 'context_overflow' }],
  ])('L-32 %s → %o', async (error, failure) => {
    expect(
      await serveTurn(
        asked,
        ports(() => failing(error)),
      ),
    ).toMatchObject({ ok: false, failure })
  })

  test('no room for an answer is the caller’s, and nothing is sent', async () => {
    expect(
      await serveTurn(
        { ...asked, maxTokens: 255 },
        ports(() => failing(new Error('sent'))),
      ),
    ).toMatchObject({ failure: { status: 422, code: 'budget' } })
  })

  const waitsForEver = async function* ({ signal }: ModelRequest): AsyncIterable<ModelPart> {
    await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted'))))
    yield finish
  }

  test('L-32 one that takes too long is 504', async () => {
    expect(await serveTurn(asked, ports(waitsForEver, { timeoutMs: 20 }))).toMatchObject({ failure: { status: 504, code: 'timeout' } })
  })

  test('L-32 one that was put off all the time is 429', async () => {
    const putOff = () => failing(new ModelFailed('rate', 'later', { retryAfterMs: 5000 }))
    expect(await serveTurn(asked, ports(putOff, { timeoutMs: 20 }))).toMatchObject({ failure: { status: 429, retryAfterMs: 5000 } })
  })
})

describe('L-34 deltas joined equal the final fields', () => {
  async function turnOf(parts: ModelPart[], dialect: 'native' | 'tags') {
    const events: WireEvent[] = []
    const base = ports(() => saying(...parts, finish), { onEvent: event => events.push(event) })
    const turn = await serveTurn(asked, { ...base, opened: { ...base.opened, spec: { ...spec, dialect } } })
    if (!turn.ok) throw new Error(turn.failure.message)
    const text = events.map(event => (event.type === 'text-delta' ? event.data.text : '')).join('')
    const ids = events.flatMap(event => (event.type === 'call-start' ? [event.data] : []))
    const calls = ids.map(({ id, name }) => ({
      id,
      name,
      arguments: events.map(event => (event.type === 'call-delta' && event.data.id === id ? event.data.arguments : '')).join(''),
    }))
    return { reply: turn.reply, text, calls, events }
  }

  test('of structured calls', async () => {
    const { reply, text, calls, events } = await turnOf(
      [
        { kind: 'thinking', text: 'hm' },
        { kind: 'text', text: 'I look ' },
        { kind: 'call-start', id: 'a', name: 'read' },
        { kind: 'call-delta', id: 'a', text: '{"pa' },
        { kind: 'call-delta', id: 'a', text: 'th":1}' },
        { kind: 'call', id: 'a', name: 'read', arguments: '{"path":1}' },
        { kind: 'call', id: 'b', name: 'read', arguments: '{}' },
      ],
      'native',
    )
    expect([text, calls]).toEqual([reply.content, reply.toolCalls])
    expect(events.map(({ type }) => type)).toEqual([
      'thinking-delta',
      'text-delta',
      'call-start',
      'call-delta',
      'call-delta',
      'call-end',
      'call-start',
      'call-delta',
      'call-end',
      'usage',
    ])
  })

  const pieces = [
    'Some words. ',
    '\n\n',
    '  ',
    '`code`',
    '```js\na()\n```\n',
    '<think>hm</think>',
    '<read path="a"/>',
    '<get path="a"/>',
    '<b>',
    '[TOOL_CALLS] [{"name":"read","arguments":{"path":"a"}}]',
    '<tool_call>{"name":"read","arguments":{"path":"b"}}</tool_call>',
    '<tool_call>{"name":"read"',
    '{"name":"read","arguments":{}}',
    'read({"path": "a"})',
    'a < b && c[0] > {}',
    '🦊',
  ]
  test.each(['native', 'tags'] as const)('of any text under %s, in any pieces', async dialect => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...pieces), { maxLength: 6 }),
        fc.integer({ min: 1, max: 9 }),
        fc.boolean(),
        async (chosen, size, withCall) => {
          const whole = chosen.join('')
          const parts: ModelPart[] = Array.from({ length: Math.ceil(whole.length / size) }, (_, i) => ({
            kind: 'text',
            text: whole.slice(i * size, (i + 1) * size),
          }))
          if (withCall) parts.push({ kind: 'call', id: 'z', name: 'read', arguments: '{}' })
          const { reply, text, calls } = await turnOf(parts, dialect)
          expect([text, calls]).toEqual([reply.content, reply.toolCalls ?? []])
        },
      ),
      { numRuns: Number(process.env['QED_PROPERTY_RUNS'] ?? 300) },
    )
  })
})
