import type { ProtocolName } from '../../../src/models/providers/protocols.ts'
import { type DoubleReply, event } from './reply.ts'

/** How a protocol looks on the wire, written from the providers' documentation and not from the libraries that read it. */
export interface DoubleProtocol {
  name: ProtocolName
  /** Below the server's own address. */
  base: string
  /** What it can say of thinking, of tokens written to the cache or thought, and of ids. */
  tells: { thinking: boolean; cacheWrite: boolean; reasoning: boolean; callIds: boolean }
  /** The server-sent events of a reply. */
  frames: (reply: DoubleReply) => string[]
  error: (status: number, message: string) => unknown
  /** An error in the middle of a stream that had begun well. */
  brokenBy: (message: string) => string
  /** The part of a request body that grows with the conversation. */
  conversation: (body: Record<string, unknown>) => unknown[]
}

const chatChunk = (delta: object, finish: string | null = null): string =>
  event({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })

function chatFrames({ thinking = [], text = [], calls = [], end, usage }: DoubleReply): string[] {
  return [
    chatChunk({ role: 'assistant', content: '' }),
    ...thinking.map(piece => chatChunk({ reasoning_content: piece })),
    ...text.map(piece => chatChunk({ content: piece })),
    ...calls.map(({ id, name }, index) => chatChunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] })),
    // Pieces of parallel calls come interleaved.
    ...calls
      .flatMap(({ arguments: pieces }, index) =>
        pieces.map((piece, i) => ({ i, chunk: chatChunk({ tool_calls: [{ index, function: { arguments: piece } }] }) })),
      )
      .sort((a, b) => a.i - b.i)
      .map(({ chunk }) => chunk),
    chatChunk({}, end ? { length: 'length', refused: 'content_filter' }[end] : calls.length > 0 ? 'tool_calls' : 'stop'),
    event({
      id: 'c1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [],
      usage: {
        prompt_tokens: usage.prompt,
        completion_tokens: usage.completion,
        total_tokens: usage.prompt + usage.completion,
        prompt_tokens_details: { cached_tokens: usage.cached },
        completion_tokens_details: { reasoning_tokens: usage.reasoning },
      },
    }),
    'data: [DONE]\n\n',
  ]
}

function responsesFrames({ thinking = [], text = [], calls = [], end, usage }: DoubleReply): string[] {
  const frames: { type: string; [key: string]: unknown }[] = [
    { type: 'response.created', response: { id: 'r1', created_at: 1, model: 'm' } },
  ]
  let output_index = 0
  if (thinking.length > 0) {
    const item_id = 'rs_1'
    frames.push({ type: 'response.output_item.added', output_index, item: { type: 'reasoning', id: item_id, summary: [] } })
    frames.push({ type: 'response.reasoning_summary_part.added', item_id, summary_index: 0, part: { type: 'summary_text', text: '' } })
    for (const delta of thinking) frames.push({ type: 'response.reasoning_summary_text.delta', item_id, summary_index: 0, delta })
    frames.push({ type: 'response.output_item.done', output_index, item: { type: 'reasoning', id: item_id, summary: [] } })
    output_index++
  }
  if (text.length > 0) {
    const item = { type: 'message', id: 'msg_1', role: 'assistant', status: 'in_progress', content: [] }
    frames.push({ type: 'response.output_item.added', output_index, item })
    for (const delta of text) frames.push({ type: 'response.output_text.delta', item_id: 'msg_1', output_index, content_index: 0, delta })
    frames.push({ type: 'response.output_item.done', output_index, item: { ...item, status: 'completed' } })
    output_index++
  }
  for (const { id, name, arguments: pieces } of calls) {
    const item = { type: 'function_call', id: `fc_${id}`, call_id: id, name, arguments: '', status: 'in_progress' }
    frames.push({ type: 'response.output_item.added', output_index, item })
    for (const delta of pieces) frames.push({ type: 'response.function_call_arguments.delta', item_id: item.id, output_index, delta })
    frames.push({ type: 'response.output_item.done', output_index, item: { ...item, arguments: pieces.join(''), status: 'completed' } })
    output_index++
  }
  const totals = {
    input_tokens: usage.prompt,
    input_tokens_details: { cached_tokens: usage.cached },
    output_tokens: usage.completion,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.prompt + usage.completion,
  }
  const reason = end && { length: 'max_output_tokens', refused: 'content_filter' }[end]
  frames.push(
    reason
      ? { type: 'response.incomplete', response: { id: 'r1', status: 'incomplete', incomplete_details: { reason }, usage: totals } }
      : { type: 'response.completed', response: { id: 'r1', status: 'completed', incomplete_details: null, usage: totals } },
  )
  return frames.map((frame, sequence_number) => event({ ...frame, sequence_number }, frame.type))
}

function anthropicFrames({ thinking = [], text = [], calls = [], end, usage }: DoubleReply): string[] {
  const input = {
    input_tokens: usage.prompt - usage.cached - usage.cacheWrite,
    cache_read_input_tokens: usage.cached,
    cache_creation_input_tokens: usage.cacheWrite,
  }
  const message = { id: 'm1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, stop_sequence: null }
  const blocks: { start: object; deltas: object[] }[] = [
    ...(thinking.length > 0
      ? [
          {
            start: { type: 'thinking', thinking: '', signature: '' },
            deltas: [
              ...thinking.map(piece => ({ type: 'thinking_delta', thinking: piece })),
              { type: 'signature_delta', signature: 'sig' },
            ],
          },
        ]
      : []),
    ...(text.length > 0 ? [{ start: { type: 'text', text: '' }, deltas: text.map(piece => ({ type: 'text_delta', text: piece })) }] : []),
    ...calls.map(({ id, name, arguments: pieces }) => ({
      start: { type: 'tool_use', id, name, input: {} },
      deltas: pieces.map(piece => ({ type: 'input_json_delta', partial_json: piece })),
    })),
  ]
  const frames: { type: string; [key: string]: unknown }[] = [
    { type: 'message_start', message: { ...message, usage: { ...input, output_tokens: 1 } } },
    { type: 'ping' },
    ...blocks.flatMap(({ start, deltas }, index) => [
      { type: 'content_block_start', index, content_block: start },
      ...deltas.map(delta => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    {
      type: 'message_delta',
      delta: {
        stop_reason: end ? { length: 'max_tokens', refused: 'refusal' }[end] : calls.length > 0 ? 'tool_use' : 'end_turn',
        stop_sequence: null,
      },
      usage: { output_tokens: usage.completion },
    },
    { type: 'message_stop' },
  ]
  return frames.map(frame => event(frame, frame.type))
}

function googleFrames({ thinking = [], text = [], calls = [], end, usage }: DoubleReply): string[] {
  const chunk = (parts: object[], more: object = {}): string =>
    event({ candidates: [{ index: 0, content: { role: 'model', parts }, ...more }] })
  return [
    ...thinking.map(piece => chunk([{ text: piece, thought: true }])),
    ...text.map(piece => chunk([{ text: piece }])),
    ...(calls.length > 0
      ? [chunk(calls.map(({ name, arguments: pieces }) => ({ functionCall: { name, args: JSON.parse(pieces.join('')) as object } })))]
      : []),
    event({
      candidates: [
        {
          index: 0,
          content: { role: 'model', parts: [{ text: '' }] },
          finishReason: end ? { length: 'MAX_TOKENS', refused: 'SAFETY' }[end] : 'STOP',
        },
      ],
      usageMetadata: {
        promptTokenCount: usage.prompt,
        cachedContentTokenCount: usage.cached,
        candidatesTokenCount: usage.completion - usage.reasoning,
        thoughtsTokenCount: usage.reasoning,
        totalTokenCount: usage.prompt + usage.completion,
      },
    }),
  ]
}

const openAiError = (_status: number, message: string): unknown => ({ error: { message, type: 'error', param: null, code: null } })
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

export const DOUBLE_PROTOCOLS: readonly DoubleProtocol[] = [
  {
    name: 'openai-compatible',
    base: '/v1',
    tells: { thinking: true, cacheWrite: false, reasoning: true, callIds: true },
    frames: chatFrames,
    error: openAiError,
    brokenBy: message => event({ error: { message, type: 'server_error', param: null, code: null } }),
    conversation: body => list(body['messages']),
  },
  {
    name: 'openai-chat',
    base: '/v1',
    tells: { thinking: false, cacheWrite: false, reasoning: true, callIds: true },
    frames: chatFrames,
    error: openAiError,
    brokenBy: message => event({ error: { message, type: 'server_error', param: null, code: null } }),
    conversation: body => list(body['messages']),
  },
  {
    name: 'openai-responses',
    base: '/v1',
    tells: { thinking: true, cacheWrite: false, reasoning: true, callIds: true },
    frames: responsesFrames,
    error: openAiError,
    brokenBy: message => event({ type: 'error', code: 'server_error', message, param: null, sequence_number: 9 }, 'error'),
    conversation: body => list(body['input']),
  },
  {
    name: 'anthropic',
    base: '/v1',
    tells: { thinking: true, cacheWrite: true, reasoning: false, callIds: true },
    frames: anthropicFrames,
    error: (status, message) => ({ type: 'error', error: { type: status === 529 ? 'overloaded_error' : 'api_error', message } }),
    brokenBy: message => event({ type: 'error', error: { type: 'overloaded_error', message } }, 'error'),
    // What is to be kept is no part of what is said.
    conversation: body =>
      list(JSON.parse(JSON.stringify(body['messages'], (key, value: unknown) => (key === 'cache_control' ? undefined : value)))),
  },
  {
    name: 'google',
    base: '/v1beta',
    tells: { thinking: true, cacheWrite: false, reasoning: true, callIds: false },
    frames: googleFrames,
    error: (status, message) => ({ error: { code: status, message, status: 'ERROR' } }),
    brokenBy: message => event({ error: { code: 503, message, status: 'UNAVAILABLE' } }),
    conversation: body => list(body['contents']),
  },
]
