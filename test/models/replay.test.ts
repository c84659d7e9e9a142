import { expect, test } from 'vitest'
import type { EngineLoopMessage } from '../../src/kernel/frames.ts'
import { clientOf, history, tools } from '../support/model-double/client.ts'
import { DOUBLE_PROTOCOLS } from '../support/model-double/protocols.ts'
import { event } from '../support/model-double/reply.ts'
import type { Act } from '../support/model-double/server.ts'

// What models that think send with their calls and have to be shown again, byte for byte, with the results.

const usage = { prompt: 10, cached: 0, cacheWrite: 0, completion: 5, reasoning: 0 }
const options = { personaSlug: 'p', maxTokens: 4000 }
const stream = (frames: { type?: string; [key: string]: unknown }[]): Act => ({
  kind: 'stream',
  frames: frames.map(frame => event(frame, frame.type)),
})

const anthropicReply = (n: number): Act =>
  stream([
    {
      type: 'message_start',
      message: { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], usage: { input_tokens: 1, output_tokens: 1 } },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
    // With thoughts left out, as is usual, only a signature comes.
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: `S${n}` } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'redacted_thinking', data: `R${n}` } },
    { type: 'content_block_stop', index: 1 },
    { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: `c${n}`, name: 'read', input: {} } },
    { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"path":"a"}' } },
    { type: 'content_block_stop', index: 2 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ])

const responsesReply: Act = stream(
  [
    { type: 'response.created', response: { id: 'r', created_at: 1, model: 'gpt-5' } },
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'half' },
    },
    { type: 'response.output_item.done', output_index: 0, item: { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'E' } },
    {
      type: 'response.output_item.added',
      output_index: 1,
      item: { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'read', arguments: '', status: 'in_progress' },
    },
    { type: 'response.function_call_arguments.delta', item_id: 'fc_1', output_index: 1, delta: '{"path":"a"}' },
    {
      type: 'response.output_item.done',
      output_index: 1,
      item: { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'read', arguments: '{"path":"a"}', status: 'completed' },
    },
    {
      type: 'response.completed',
      response: { id: 'r', status: 'completed', incomplete_details: null, usage: { input_tokens: 1, output_tokens: 5 } },
    },
  ].map((frame, sequence_number) => ({ ...frame, sequence_number })),
)

const googleReply: Act = stream([
  {
    candidates: [
      { index: 0, content: { role: 'model', parts: [{ functionCall: { name: 'read', args: { path: 'a' } }, thoughtSignature: 'S' }] } },
    ],
  },
  {
    candidates: [{ index: 0, content: { role: 'model', parts: [{ text: '' }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 5 },
  },
])

const protocolOf = (name: string) => {
  const found = DOUBLE_PROTOCOLS.find(protocol => protocol.name === name)
  if (!found) throw new Error(name)
  return found
}
const ok = (name: string): Act => ({ kind: 'stream', frames: protocolOf(name).frames({ usage, text: ['ok'] }) })

/** Asks, and asks again with the result of the call that came. */
async function twoTurns(
  name: string,
  model: string,
  acts: Act[],
  change: (frames: EngineLoopMessage[]) => EngineLoopMessage[] = frames => frames,
) {
  const { client, double } = await clientOf(protocolOf(name), acts, { model })
  const first = await client.send(history, tools, options)
  if (first.stop === 'error') throw new Error(first.message)
  const { assistantMessage } = first
  const result: EngineLoopMessage = { role: 'tool', content: 'text', toolCallId: assistantMessage.toolCalls?.[0]?.id, toolName: 'read' }
  const answer = await client.send(change([...history, assistantMessage, result]), tools, options)
  return {
    answer,
    bodies: double.requests.map(({ body }) => JSON.parse(body) as Record<string, unknown>),
    client,
    assistantMessage,
    result,
    double,
  }
}

type Blocks = { messages: { role: string; content: { type: string }[] }[] }
const assistantBlocks = (body: unknown) =>
  (body as Blocks).messages.filter(({ role }) => role === 'assistant').map(({ content }) => content.map(({ type }) => type))

test('under anthropic the signed blocks go back in their order before the call', async () => {
  const { bodies } = await twoTurns('anthropic', 'claude-opus-5-5', [anthropicReply(1), ok('anthropic')])
  expect((bodies[1] as unknown as Blocks).messages[1]).toEqual({
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: '', signature: 'S1' },
      { type: 'redacted_thinking', data: 'R1' },
      { type: 'tool_use', id: 'c1', name: 'read', input: { path: 'a' } },
    ],
  })
})

test('under openai-responses the encrypted reasoning goes back before the call, and nothing is kept there', async () => {
  const { bodies } = await twoTurns('openai-responses', 'gpt-5', [responsesReply, ok('openai-responses')])
  expect(bodies[1]).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] })
  expect(bodies[1]?.['input']).toEqual([
    expect.anything(),
    expect.anything(),
    { type: 'reasoning', id: 'rs_1', encrypted_content: 'E', summary: [] },
    { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{"path":"a"}' },
    { type: 'function_call_output', call_id: 'c1', output: 'text' },
  ])
})

test('under google the signature goes back with the call', async () => {
  const { bodies } = await twoTurns('google', 'gemini-3.5-flash', [googleReply, ok('google')])
  expect(bodies[1]?.['contents']).toMatchObject([
    { role: 'user' },
    { role: 'model', parts: [{ functionCall: { name: 'read', args: { path: 'a' } }, thoughtSignature: 'S' }] },
    { role: 'user' },
  ])
})

test('thoughts are left out behind frames that have changed since, and come back with replies to those', async () => {
  const changed = (frames: EngineLoopMessage[]): EngineLoopMessage[] => [{ role: 'system', content: 'Summary.' }, ...frames.slice(1)]
  const { bodies, client, assistantMessage, result, double } = await twoTurns(
    'anthropic',
    'claude-opus-5-5',
    [anthropicReply(1), anthropicReply(2), ok('anthropic')],
    changed,
  )
  expect(assistantBlocks(bodies[1])).toEqual([['tool_use']])
  const second: EngineLoopMessage = { role: 'assistant', content: '', toolCalls: [{ id: 'c2', name: 'read', arguments: '{"path":"a"}' }] }
  const [, user] = history
  if (!user) throw new Error('no frame')
  const again: EngineLoopMessage[] = [
    { role: 'system', content: 'Summary.' },
    user,
    assistantMessage,
    result,
    second,
    { ...result, toolCallId: 'c2' },
  ]
  await client.send(again, tools, options)
  expect(assistantBlocks(JSON.parse(double.requests[2]?.body ?? '{}'))).toEqual([
    ['tool_use'],
    ['thinking', 'redacted_thinking', 'tool_use'],
  ])
})

test('thoughts that their model provider does not take back are left out, and the request is sent again', async () => {
  const refusal = {
    type: 'error',
    error: { type: 'invalid_request_error', message: 'messages.1.content.0: Invalid `signature` in `thinking` block.' },
  }
  const { answer, bodies } = await twoTurns('anthropic', 'claude-opus-5-5', [
    anthropicReply(1),
    { kind: 'status', status: 400, body: refusal },
    ok('anthropic'),
  ])
  expect(answer).toMatchObject({ stop: 'text', content: 'ok' })
  expect(bodies.map(assistantBlocks)).toEqual([[], [['thinking', 'redacted_thinking', 'tool_use']], [['tool_use']]])
})

test('a refusal that names thoughts where none were sent is told', async () => {
  const { client, double } = await clientOf(protocolOf('anthropic'), [
    { kind: 'status', status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message: 'thinking: no' } } },
  ])
  expect(await client.send(history, tools, options)).toMatchObject({ stop: 'error', code: 'failed', message: 'thinking: no' })
  expect(double.requests).toHaveLength(1)
})
