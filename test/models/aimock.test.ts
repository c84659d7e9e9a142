import { LLMock } from '@copilotkit/aimock'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createModelClient } from '../../src/models/client.ts'
import { openModel } from '../../src/models/resolve/open.ts'
import { createGates } from '../../src/models/retry/gates.ts'
import { specAt } from '../support/model-double/client.ts'
import { DOUBLE_PROTOCOLS, type DoubleProtocol } from '../support/model-double/protocols.ts'

// Our own double could be wrong in the same way as we are; this one was written by others.

const mock = new LLMock({ port: 0 })
beforeAll(async () => {
  mock.onMessage('greet', { content: 'Good day to you.' })
  mock.onMessage('look', {
    toolCalls: [
      { name: 'read', arguments: '{"path":"a"}' },
      { name: 'read', arguments: '{"path":"b"}' },
    ],
  })
  mock.onMessage('fail', { error: { message: 'no such luck' }, status: 401 })
  await mock.start()
})
afterAll(() => mock.stop())

async function ask({ name, base }: DoubleProtocol, content: string) {
  const model = await openModel(
    specAt({ protocol: name, baseUrl: `${mock.url}${base}`, key: { env: 'KEY' } }, name === 'google' ? 'gemini-2.5-pro' : 'm'),
    { clock: { now: () => 0 }, keys: { env: { KEY: 'mock' }, vault: () => Promise.reject(new Error('none')) } },
  )
  const client = createModelClient({ model, gates: createGates(), clock: { now: () => 0 }, random: () => 0 })
  return client.send([{ role: 'user', content }], [{ name: 'read', description: 'Reads.' }], { personaSlug: 'p', maxTokens: 1000 })
}

describe.each(DOUBLE_PROTOCOLS.map(protocol => [protocol.name, protocol] as const))('%s', (_, protocol) => {
  test('text', async () => {
    expect(await ask(protocol, 'greet me')).toMatchObject({ stop: 'text', content: 'Good day to you.' })
  })
  test('parallel calls', async () => {
    expect(await ask(protocol, 'look around')).toMatchObject({
      stop: 'tool_use',
      assistantMessage: {
        toolCalls: [
          { name: 'read', arguments: '{"path":"a"}' },
          { name: 'read', arguments: '{"path":"b"}' },
        ],
      },
    })
  })
  test('a refused key', async () => {
    expect(await ask(protocol, 'fail now')).toMatchObject({ stop: 'error', code: 'auth_missing', message: 'no such luck' })
  })
})
