import { describe, expect, test } from 'vitest'
import type { EngineLoopMessage } from '../../src/kernel/frames.ts'
import { collect } from '../../src/models/collect.ts'
import { clientOf, history, tools } from '../support/model-double/client.ts'
import { event } from '../support/model-double/reply.ts'
import type { Act } from '../support/model-double/server.ts'

// What servers that speak the chat protocol are documented or reported to send, each unlike the others in something.

const compatible = { name: 'openai-compatible', base: '/v1' } as const
const options = { personaSlug: 'p', maxTokens: 4000 }
const chunk = (delta: object, finish: string | null = null, more: object = {}): string =>
  event({ choices: [{ index: 0, delta, finish_reason: finish }], ...more })
const stream = (...frames: string[]): Act => ({ kind: 'stream', frames: [...frames, 'data: [DONE]\n\n'] })
const call = (id: string, name: string, path: string, more: object = {}): object => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify({ path }) },
  ...more,
})
const ok = stream(chunk({ content: 'ok' }, 'stop'))

async function ask(...acts: Act[]) {
  const given = await clientOf(compatible, acts)
  const answer = await given.client.send(history, tools, options)
  const calls = answer.stop === 'error' ? [] : (answer.assistantMessage.toolCalls ?? [])
  return { ...given, answer, calls: calls.map(({ name, arguments: text }) => [name, JSON.parse(text) as unknown]) }
}
const bodies = ({ double }: Awaited<ReturnType<typeof ask>>) =>
  double.requests.map(({ body }) => JSON.parse(body) as Record<string, unknown>)

describe('calls', () => {
  const both = [
    ['read', { path: 'a' }],
    ['ls', { path: 'b' }],
  ]

  test.each<[string, string[]]>([
    [
      'that all stand at place 0',
      [chunk({ tool_calls: [call('a', 'read', 'a', { index: 0 })] }), chunk({ tool_calls: [call('b', 'ls', 'b', { index: 0 })] })],
    ],
    ['without a place, in one piece', [chunk({ tool_calls: [call('a', 'read', 'a'), call('b', 'ls', 'b')] })]],
    [
      'whose arguments are an object',
      [
        chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'read', arguments: { path: 'a' } } }] }),
        chunk({ tool_calls: [{ index: 1, id: 'b', function: { name: 'ls', arguments: { path: 'b' } } }] }),
      ],
    ],
    [
      'that repeat id and name with every piece',
      [
        chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'read', arguments: '{"path"' } }] }),
        chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'read', arguments: ':"a"}' } }] }),
        chunk({ tool_calls: [{ index: 1, id: 'b', function: { name: 'ls', arguments: '{"path":"b"}' } }] }),
      ],
    ],
    [
      'that get another id with every piece',
      [
        chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'read', arguments: '' } }] }),
        chunk({ tool_calls: [{ index: 0, id: 'a2', function: { name: null, arguments: '{"path":"a"}' } }] }),
        chunk({ tool_calls: [{ index: 1, id: 'b', function: { name: 'ls', arguments: '{"path":"b"}' } }] }),
      ],
    ],
    [
      'whose name comes after their place',
      [
        chunk({ tool_calls: [{ index: 0, id: 'a' }] }),
        chunk({ tool_calls: [{ index: 0, function: { name: 'read', arguments: '{"path":"a"}' } }] }),
        chunk({ tool_calls: [{ index: 1, id: 'b', function: { name: 'ls', arguments: '{"path":"b"}' } }] }),
      ],
    ],
  ])('%s are two', async (_, frames) => {
    const { answer, calls } = await ask(stream(...frames, chunk({}, 'tool_calls')))
    expect(answer.stop).toBe('tool_use')
    expect(calls).toEqual(both)
  })

  test('without an id get one that no other call of the conversation has', async () => {
    const bare = chunk({ tool_calls: [{ function: { name: 'read', arguments: '{"path":"a"}' } }] }, 'tool_calls')
    const { client } = await clientOf(compatible, [stream(bare)])
    const answers = [await client.send(history, tools, options), await client.send(history, tools, options)]
    const ids = answers.flatMap(answer => (answer.stop === 'error' ? [] : (answer.assistantMessage.toolCalls ?? []).map(({ id }) => id)))
    expect([ids.length, new Set(ids).size]).toEqual([2, 2])
  })

  test('with arguments that are no JSON go back as JSON, which servers must be able to read', async () => {
    const given = await ask(ok)
    const broken: EngineLoopMessage[] = [
      ...history,
      { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'read', arguments: '{"path":' }] },
      { role: 'tool', content: 'Error: no JSON', toolCallId: 'a', toolName: 'read' },
    ]
    await given.client.send(broken, tools, options)
    expect(bodies(given)[1]).toMatchObject({
      messages: [{}, {}, { tool_calls: [{ function: { arguments: '{"text":"{\\"path\\":"}' } }] }, {}],
    })
  })
})

describe('the end of a reply', () => {
  test.each<[string, object]>([
    ['stop', { stop: 'text' }],
    ['eos', { stop: 'text' }],
    ['model_length', { stop: 'text', truncated: true }],
    ['max_tokens', { stop: 'text', truncated: true }],
    ['error', { stop: 'error' }],
    ['insufficient_system_resource', { stop: 'error' }],
  ])('%s is understood', async (reason, expected) => {
    expect((await ask(stream(chunk({ content: 'x' }), chunk({}, reason)))).answer).toMatchObject(expected)
  })

  test('is not an empty reason, which some send with every piece', async () => {
    const { answer } = await ask({ kind: 'stream', frames: [chunk({ content: 'x' }, ''), chunk({ content: 'y' }, '')] })
    expect(answer).toMatchObject({ stop: 'error', code: 'failed' })
  })
})

describe('what stands around a reply', () => {
  test('comments, empty deltas, a first piece without choices and line ends of CR LF are no part of it', async () => {
    const frames = [
      ': OPENROUTER PROCESSING\n\n',
      event({ choices: [], prompt_filter_results: [] }),
      ': keep-alive\n\n',
      chunk({}),
      chunk({ role: 'assistant', content: null, refusal: null }).replaceAll('\n', '\r\n'),
      chunk({ content: 'Yes.' }).replaceAll('\n', '\r\n'),
      chunk({}, 'stop'),
    ]
    expect((await ask(stream(...frames))).answer).toMatchObject({ stop: 'text', content: 'Yes.' })
  })

  test('a server that does not stream is understood', async () => {
    const body = { choices: [{ message: { role: 'assistant', content: 'Yes.', tool_calls: null }, finish_reason: 'stop' }] }
    expect((await ask({ kind: 'status', status: 200, body })).answer).toMatchObject({ stop: 'text', content: 'Yes.' })
  })

  test.each<[string, Act]>([
    ['as JSON with status 200', { kind: 'status', status: 200, body: { error: 'Unexpected endpoint' } }],
    ['as an event', stream(`event: error\n${event({ error: { message: 'Unexpected endpoint' } })}`)],
    ['as the event itself', stream(event({ object: 'error', message: 'Unexpected endpoint', code: 400 }))],
    ['in a field of its own', stream('error: {"code":400,"message":"Unexpected endpoint"}\n\n')],
  ])('an error that is told %s is told on', async (_, act) => {
    const { model } = await clientOf(compatible, [act])
    await expect(collect(model.stream({ messages: history, tools, maxTokens: 400 }))).rejects.toMatchObject({
      message: 'Unexpected endpoint',
    })
  })

  test.each<[unknown, string]>([
    [429, 'rate'],
    [502, 'gateway'],
    ['server_error', 'server'],
  ])('an error of code %s inside a stream is tried again as one of its kind', async (code, kind) => {
    const abort = new AbortController()
    const kinds: string[] = []
    const onRetry = (about: { kind: string }): void => {
      kinds.push(about.kind)
      abort.abort()
    }
    const { client } = await clientOf(compatible, [stream(event({ error: { code, message: 'later' } }))], { onRetry })
    await client.send(history, tools, { ...options, signal: abort.signal })
    expect(kinds).toEqual([kind])
  })

  test('an overflow that is told inside a stream is known as one', async () => {
    const { answer } = await ask(stream(event({ error: { message: 'Reached context length of 4096 tokens.' } })))
    expect(answer).toMatchObject({ stop: 'error', code: 'context_overflow' })
  })

  test('money that is used up is not asked for again', async () => {
    const { answer, double } = await ask({ kind: 'status', status: 429, body: { error: { message: 'pay', code: 'insufficient_quota' } } })
    expect(answer).toEqual({ stop: 'error', code: 'rate_limited', message: 'pay' })
    expect(double.requests).toHaveLength(1)
  })
})

describe('figures', () => {
  test.each<[string, object, object]>([
    ['thoughts that are in the total only', { prompt_tokens: 10, completion_tokens: 5, total_tokens: 35 }, { completion: 25, total: 35 }],
    ['the cache of DeepSeek', { prompt_tokens: 10, completion_tokens: 5, prompt_cache_hit_tokens: 4 }, { cached: 4 }],
    ['the cache of Moonshot', { prompt_tokens: 10, completion_tokens: 5, cached_tokens: 4 }, { cached: 4 }],
    [
      'what OpenRouter wrote to a cache',
      { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cache_write_tokens: 6 } },
      { cacheWrite: 6 },
    ],
  ])('%s are counted', async (_, usage, expected) => {
    const { answer } = await ask(stream(chunk({ content: 'x' }, 'stop'), event({ choices: [], usage })))
    expect(answer).toMatchObject({ usage: expected })
  })

  test.each<[string, object]>([
    ['in the choice', { choices: [{ delta: {}, finish_reason: 'stop', usage: { prompt_tokens: 10, completion_tokens: 5 } }] }],
    ['as Groq did', { choices: [{ delta: {}, finish_reason: 'stop' }], x_groq: { usage: { prompt_tokens: 10, completion_tokens: 5 } } }],
  ])('%s are found', async (_, last) => {
    expect((await ask(stream(chunk({ content: 'x' }), event(last)))).answer).toMatchObject({ usage: { total: 15 } })
  })
})

describe('thinking', () => {
  test('in the pieces of which Mistral makes its content is no part of the answer', async () => {
    const { answer, parts } = await ask(
      stream(
        chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] }),
        chunk({ content: [{ type: 'text', text: 'Yes.' }] }),
        chunk({}, 'stop'),
      ),
    )
    expect(answer).toMatchObject({ stop: 'text', content: 'Yes.' })
    expect(parts.find(({ kind }) => kind === 'thinking')).toEqual({ kind: 'thinking', text: 'Hm.' })
  })

  const withResult = async (given: Awaited<ReturnType<typeof ask>>): Promise<Record<string, unknown>> => {
    if (given.answer.stop === 'error') throw new Error(given.answer.message)
    const { assistantMessage } = given.answer
    const result: EngineLoopMessage = { role: 'tool', content: 'text', toolCallId: assistantMessage.toolCalls?.[0]?.id, toolName: 'read' }
    await given.client.send([...history, assistantMessage, result], tools, options)
    const { messages } = bodies(given).at(-1) as { messages: Record<string, unknown>[] }
    return messages[2] ?? {}
  }

  test('goes back with the calls that came of it, as DeepSeek demands', async () => {
    const given = await ask(
      stream(
        chunk({ reasoning_content: 'First ' }),
        chunk({ reasoning_content: 'read.' }),
        chunk({ tool_calls: [call('a', 'read', 'a')] }, 'tool_calls'),
      ),
      ok,
    )
    expect(await withResult(given)).toMatchObject({ role: 'assistant', reasoning_content: 'First read.', tool_calls: [{ id: 'a' }] })
  })

  test('goes back in the pieces in which OpenRouter gave it', async () => {
    const detail = (more: object): object => ({ type: 'reasoning.text', index: 0, format: 'f', ...more })
    const given = await ask(
      stream(
        chunk({ reasoning: 'First ', reasoning_details: [detail({ text: 'First ' })] }),
        chunk({ reasoning: 'read.', reasoning_details: [detail({ text: 'read.', signature: null })] }),
        chunk({ reasoning_details: [detail({ text: '', signature: 'S' })] }),
        chunk({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'E', id: 'a' }] }),
        chunk({ tool_calls: [call('a', 'read', 'a')] }, 'tool_calls'),
      ),
      ok,
    )
    const back = await withResult(given)
    expect(back['reasoning_details']).toEqual([
      { type: 'reasoning.text', index: 0, format: 'f', text: 'First read.', signature: 'S' },
      { type: 'reasoning.encrypted', data: 'E', id: 'a' },
    ])
    expect(back).not.toHaveProperty('reasoning_content')
  })

  test('leaves a signature with a call, which goes back with it, as Gemini demands', async () => {
    const extra_content = { google: { thought_signature: 'S' } }
    const given = await ask(stream(chunk({ tool_calls: [call('a', 'read', 'a', { extra_content })] }, 'tool_calls')), ok)
    expect(await withResult(given)).toMatchObject({ tool_calls: [{ id: 'a', extra_content }] })
  })
})

test.each([
  ['', '/chat/completions'],
  ['/', '/chat/completions'],
  ['/v1', '/v1/chat/completions'],
  ['/v1/', '/v1/chat/completions'],
  ['/v1/chat/completions', '/v1/chat/completions'],
  ['/openai/v1?api-version=1', '/openai/v1/chat/completions?api-version=1'],
])('below the base %j it is %s that is asked', async (base, path) => {
  const { client, double } = await clientOf({ name: 'openai-compatible', base }, [ok])
  await client.send(history, tools, options)
  expect(double.requests[0]?.path).toBe(path)
})

test('a page where a reply is expected is told at once, with where to look', async () => {
  const page: Act = { kind: 'status', status: 200, body: '<!doctype html>', headers: { 'content-type': 'text/html; charset=utf-8' } }
  const { answer, double } = await ask(page, ok)
  expect(answer).toMatchObject({ stop: 'error', code: 'endpoint_missing' })
  expect((answer as { message: string }).message).toMatch(/\/v1\/chat\/completions is a web page\. Look at base_url/)
  expect(double.requests).toHaveLength(1)
})
