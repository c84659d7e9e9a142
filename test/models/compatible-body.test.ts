import { expect, test } from 'vitest'
import type { EngineLoopMessage } from '../../src/kernel/frames.ts'
import { bodiesFor } from '../../src/models/providers/compatible/body.ts'

const text = (pieces: readonly Buffer[]): string => Buffer.concat(pieces).toString('utf8')
const user = (content: string): EngineLoopMessage => ({ role: 'user', content })
const bodyWith = (messages: readonly EngineLoopMessage[]) => ({
  model: 'm',
  messages: messages.map(({ role, content }) => ({ role, content })),
  max_tokens: 300,
  stream: true,
  stream_options: { include_usage: true },
})

test('the body of each turn is what a server reads, whatever the turns before it were', () => {
  const bodyOf = bodiesFor('m')
  const [a, b, c, long] = [user('ä "1"'), user('b'), user('\u{1f600}'), user('x'.repeat(200_000))]
  for (const messages of [[], [a], [a, b], [a, b, long], [a, c], [a, c, long, b], [c], [a, b]]) {
    const sent = text(bodyOf({ messages, tools: [], maxTokens: 300 }))
    expect(JSON.parse(sent)).toEqual(bodyWith(messages))
  }
})

test('what is still on its way stays as it was when the conversation goes on, or goes back and on in another way', () => {
  const bodyOf = bodiesFor('m')
  const first = user('the question')
  const sent = [[first], [first, user('one way')], [first, user('another way')], [first, user('y'.repeat(100_000))]].map(messages => ({
    messages,
    body: bodyOf({ messages, tools: [], maxTokens: 300 }),
  }))
  for (const { messages, body } of sent) expect(JSON.parse(text(body))).toEqual(bodyWith(messages))
})

test('tools stand in every request that offers them', () => {
  const bodyOf = bodiesFor('m')
  const tools = [{ name: 'read', description: 'Reads.', parameters: { type: 'object', properties: {} } }]
  for (const messages of [[user('a')], [user('a'), user('b')]])
    expect(JSON.parse(text(bodyOf({ messages, tools, maxTokens: Number.POSITIVE_INFINITY })))).toMatchObject({
      messages: messages.map(({ role, content }) => ({ role, content })),
      tools: [{ type: 'function', function: tools[0] }],
    })
})
