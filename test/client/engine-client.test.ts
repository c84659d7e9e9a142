import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createEngineClient } from '../../src/client/engine-client.ts'

interface Answer {
  status?: number
  body?: unknown
  headers?: Record<string, string>
}

async function sendTo({ status = 200, body, headers = {} }: Answer) {
  const bodies: string[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      bodies.push(`${request.method} ${request.url} ${request.headers.authorization} ${text}`)
      response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body ?? {}))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = createEngineClient({ url, token: 't', command: 'fix', model: 'm', clock: { now: () => 0 } })
  const tools = [{ name: 'read', description: 'r', effect: 'read' as const }]
  const answer = await client.send([{ role: 'user', content: 'hi' }], tools, { personaSlug: 'p', maxTokens: 500 })
  return { answer, bodies }
}

test('L-28 sends one turn', async () => {
  const { bodies } = await sendTo({})
  expect(bodies).toEqual([
    'POST /api/engine Bearer t {"personaSlug":"p","messages":[{"role":"user","content":"hi"}],"tools":[{"name":"read","description":"r"}],"command":"fix","model":"m","maxTokens":500}',
  ])
})

test.each([
  [401, 'denied', 'auth_missing'],
  [403, 'denied', 'auth_missing'],
  [403, 'tool_refused', 'failed'],
  [404, 'not_found', 'endpoint_missing'],
  [405, '', 'endpoint_missing'],
  [501, '', 'endpoint_missing'],
  [429, 'busy', 'rate_limited'],
  [400, 'bad_request', 'failed'],
  [413, 'too_large', 'failed'],
  [422, 'no_model', 'failed'],
  [500, 'internal', 'failed'],
  [502, 'failed', 'failed'],
  [502, 'auth_missing', 'failed'],
  [502, 'context_overflow', 'context_overflow'],
  [422, 'budget', 'budget'],
  [504, 'timeout', 'failed'],
])('L-33 %i %s → %s', async (status, said, code) => {
  const { answer } = await sendTo({ status, body: { error: { code: said, message: 'why' } } })
  expect(answer).toEqual({ stop: 'error', code, message: 'why' })
})

test('L-33 when to come again is taken from the body, else from the header', async () => {
  const later = await sendTo({ status: 429, body: { error: { code: 'rate_limited', message: 'x', retryAfterMs: 1500 } } })
  expect(later.answer).toMatchObject({ code: 'rate_limited', retryAt: '1970-01-01T00:00:01.500Z' })
  const header = await sendTo({ status: 429, body: 'no JSON', headers: { 'retry-after': '3' } })
  expect(header.answer).toMatchObject({ code: 'rate_limited', retryAt: '1970-01-01T00:00:03.000Z' })
})

const turn = { content: 'hi', tokensUsed: 7, model: 'm' }
test.each<[string, object, object]>([
  [
    'text',
    { ...turn, stop: 'text' },
    { stop: 'text', content: 'hi', tokensUsed: 7, assistantMessage: { role: 'assistant', content: 'hi' } },
  ],
  [
    'length',
    { ...turn, stop: 'length' },
    { stop: 'text', content: 'hi', truncated: true, tokensUsed: 7, assistantMessage: { role: 'assistant', content: 'hi' } },
  ],
  [
    'calls and doubtful calls',
    {
      ...turn,
      stop: 'tool_use',
      toolCalls: [{ id: 'a', name: 'read', arguments: '{}' }],
      rejected: [{ id: 'b', name: 'ls', arguments: '{', message: 'cut' }],
    },
    {
      stop: 'tool_use',
      tokensUsed: 7,
      rejected: [{ id: 'b', message: 'cut' }],
      assistantMessage: {
        role: 'assistant',
        content: 'hi',
        toolCalls: [
          { id: 'a', name: 'read', arguments: '{}' },
          { id: 'b', name: 'ls', arguments: '{' },
        ],
      },
    },
  ],
])('L-33 %s', async (_, body, answer) => {
  expect((await sendTo({ body })).answer).toEqual(answer)
})

test.each<[string, Answer]>([
  ['a body that fails the schema', { body: { stop: 'text', content: 5 } }],
  ['a body that is no JSON', { body: 'hello' }],
])('L-33 %s is a failed send', async (_, given) => {
  expect((await sendTo(given)).answer).toMatchObject({ stop: 'error', code: 'failed' })
})

test('L-33 no connection, and an abort, are failed sends', async () => {
  const client = createEngineClient({ url: 'http://127.0.0.1:9', token: 't' })
  expect(await client.send([], [], { personaSlug: 'p' })).toMatchObject({ stop: 'error', code: 'failed' })
  expect(await client.send([], [], { personaSlug: 'p', signal: AbortSignal.abort() })).toMatchObject({ stop: 'error', code: 'failed' })
})
