import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createEngineClient } from '../../src/client/engine-client.ts'
import { runEngineLoop } from '../../src/engine/loop.ts'
import { type TestServer, testProject, testServer } from '../support/qed.ts'

const SCRIPTS = {
  main: { turns: [{ thinking: 'hm', text: 'I look.', calls: [{ name: 'read', arguments: { path: 'a' } }] }, { text: 'Done.' }] },
  limited: { turns: [{ error: { status: 429, retry_after: 3600 } }] },
  denied: { turns: [{ error: { status: 401, message: 'wrong key' } }] },
  deep: { turns: [{ error: { status: 400, message: 'prompt is too long' } }] },
}

async function serving(env: Record<string, string> = {}): Promise<TestServer> {
  const project = await testProject()
  writeFileSync(join(project.root, 'script.json'), JSON.stringify({ scripts: SCRIPTS }))
  return testServer(project, [], env)
}
const post = (server: TestServer, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${server.port}/api/engine`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.token}`, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
const turn = (more: object = {}) => ({
  personaSlug: 'p',
  messages: [{ role: 'user', content: 'go' }],
  tools: [{ name: 'read', description: 'r' }],
  ...more,
})

describe('POST /api/engine', () => {
  test('L-28, L-32 answers one turn, and refuses with fitting codes', async () => {
    const server = await serving()
    const answer = await post(server, turn({ model: 'script:script.json' }))
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      { stop: 'tool_use', content: 'I look.', toolCalls: [{ name: 'read', arguments: '{"path":"a"}' }], model: 'script:main' },
    ])
    const refused: [unknown, number, string, Record<string, string>?][] = [
      [turn(), 422, 'no_model'],
      [turn({ model: 'nobody/knows' }), 422, 'not_found'],
      [turn({ model: 'openai/gpt-5' }), 502, 'auth_missing'],
      [turn({ model: 'script:none.json' }), 422, 'not_found'],
      [turn({ messages: [] }), 400, 'bad_request'],
      ['{', 400, 'bad_request'],
      [turn({ command: 'plan', tools: [{ name: 'bash', description: '' }] }), 403, 'tool_refused'],
      [turn({ model: 'script:script.json#limited' }), 429, 'rate_limited'],
      [turn({ model: 'script:script.json#denied' }), 502, 'auth_missing'],
      [turn({ model: 'script:script.json#deep' }), 502, 'context_overflow'],
      [turn({ model: 'script:script.json' }), 401, 'denied', { authorization: '' }],
      [`"${'x'.repeat(16 << 20)}"`, 413, 'too_large'],
    ]
    for (const [body, status, code, headers] of refused) {
      const response = await post(server, body, headers)
      expect([response.status, await response.json()]).toMatchObject([status, { error: { code } }])
      expect(response.headers.get('retry-after')).toBe(status === 429 ? '3600' : null)
    }
  })

  test('a body between the limits of operations and of turns is taken', async () => {
    const server = await serving()
    const messages = [{ role: 'user', content: 'x'.repeat(6 << 20) }]
    expect((await post(server, turn({ messages, model: 'script:script.json' }))).status).toBe(200)
  })

  test('L-29 the model of a command comes from its variable or setting', async () => {
    const server = await serving({ QED_ENGINE_MODEL_FIX: 'script:script.json' })
    expect((await post(server, turn({ command: 'fix' }))).status).toBe(200)
    expect((await post(server, turn({ command: 'code' }))).status).toBe(422)
    expect((await post(server, turn())).status).toBe(422)
  })

  test('L-34 as server-sent events: the deltas, then the turn, then nothing', async () => {
    const server = await serving()
    const response = await post(server, turn({ model: 'script:script.json' }), { accept: 'text/event-stream' })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const events = readEvents(await response.text())
    expect(events.map(({ type }) => type)).toEqual([
      'thinking-delta',
      'text-delta',
      'call-start',
      'call-delta',
      'call-end',
      'usage',
      'turn-end',
    ])
    expect(events.at(-1)?.data).toMatchObject({ stop: 'tool_use', content: 'I look.', tokensUsed: expect.any(Number) as number })
    const broken = await post(server, turn({ model: 'script:script.json#denied' }), { accept: 'text/event-stream' })
    expect(readEvents(await broken.text())).toEqual([{ type: 'error', data: { code: 'auth_missing', message: 'wrong key' } }])
    const bad = await post(server, turn({ messages: [] }), { accept: 'text/event-stream' })
    expect(bad.status).toBe(400)
  })

  test('a loop runs over the wire to its end', async () => {
    const server = await serving()
    const client = createEngineClient({ url: server.url, token: server.token, model: 'script:script.json' })
    const outcome = await runEngineLoop({
      client,
      executor: () => Promise.resolve('text of a'),
      systemPrompt: 's',
      userPrompt: 'u',
      tools: [{ name: 'read', description: 'r' }],
      budget: { maxToolCalls: 5, maxTokens: 10_000 },
      personaSlug: 'p',
    })
    expect(outcome).toMatchObject({ status: 'completed', finalText: 'Done.', toolCallCount: 1, turnsUsed: 2 })
  })
})

function readEvents(text: string): { type: string; data: unknown }[] {
  return text.split('\n\n').flatMap(block => {
    const type = /^event: (.*)$/m.exec(block)?.[1]
    const data = /^data: (.*)$/m.exec(block)?.[1]
    return type === undefined || data === undefined ? [] : [{ type, data: JSON.parse(data) as unknown }]
  })
}
