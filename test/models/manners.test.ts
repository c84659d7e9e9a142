import { describe, expect, test } from 'vitest'
import type { EngineLoopMessage } from '../../src/kernel/frames.ts'
import { clientOf, history, tools } from '../support/model-double/client.ts'
import { event } from '../support/model-double/reply.ts'
import type { Act } from '../support/model-double/server.ts'

const compatible = { name: 'openai-compatible', base: '/v1' } as const
const options = { personaSlug: 'p', maxTokens: 4000 }
const ok: Act = { kind: 'stream', frames: [event({ choices: [{ delta: { content: 'ok' }, finish_reason: 'stop' }] }), 'data: [DONE]\n\n'] }

describe('a server that refuses a request for how it is put is asked in its own manner, from then on', () => {
  const grown: EngineLoopMessage[] = [
    ...history,
    { role: 'assistant', content: '', toolCalls: [{ id: 'call_1', name: 'read', arguments: '{"path":"a"}' }] },
    { role: 'tool', content: 'text of a', toolCallId: 'call_1', toolName: 'read' },
    { role: 'user', content: 'Go on.' },
  ]
  const refusing = (status: number, body: unknown): Act => ({ kind: 'status', status, body })
  /** The body that such a server is sent after its refusal, and in every later request. */
  const learnt = async (act: Act) => {
    const { client, double } = await clientOf(compatible, [act, ok])
    expect(await client.send(grown, tools, options)).toMatchObject({ stop: 'text', content: 'ok' })
    await client.send(grown, tools, options)
    const [, second, third, ...more] = double.requests.map(({ body }) => body)
    expect([third, more]).toEqual([second, []])
    return JSON.parse(second ?? '') as Record<string, unknown> & { messages: Record<string, unknown>[] }
  }

  test('without asking for figures', async () => {
    const body = {
      object: 'error',
      message: { detail: [{ type: 'extra_forbidden', loc: ['body', 'stream_options', 'include_usage'], msg: 'no' }] },
    }
    expect(await learnt(refusing(422, body))).not.toHaveProperty('stream_options')
  })

  test('with the newer name of the limit', async () => {
    const message = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    const body = await learnt(refusing(400, { error: { message } }))
    expect(body).toMatchObject({ max_completion_tokens: 4000 })
    expect(body).not.toHaveProperty('max_tokens')
  })

  test('with empty thoughts where none are known any more', async () => {
    const message = 'The `reasoning_content` in the thinking mode must be passed back to the API.'
    const { messages } = await learnt(refusing(400, { error: { message } }))
    expect(messages[2]).toMatchObject({ role: 'assistant', reasoning_content: '' })
  })

  test('with ids of nine letters and digits', async () => {
    const message = 'Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.'
    const { messages } = await learnt(refusing(400, { object: 'error', message }))
    const id = (messages[2] as { tool_calls: { id: string }[] }).tool_calls[0]?.id
    expect(id).toMatch(/^[a-zA-Z0-9]{9}$/)
    expect(messages[3]).toMatchObject({ tool_call_id: id })
  })

  test('with a word of the model between results and a person', async () => {
    const message = "Unexpected role 'user' after role 'tool'"
    const { messages } = await learnt(refusing(400, { object: 'error', message, code: '3230' }))
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user'])
  })

  test.each([
    ['stream_options: no', 2],
    ['The `reasoning_content` in the thinking mode must be passed back to the API.', 3],
  ])('but once in each, so that nothing is asked for ever: %s', async (message, requests) => {
    const { client, double } = await clientOf(compatible, [refusing(400, { error: { message } })])
    expect(await client.send(grown, tools, options)).toMatchObject({ stop: 'error', message })
    expect(double.requests).toHaveLength(requests)
  })
})
