import type { EngineLoopMessage, EngineLoopTool } from '../../../kernel/frames.ts'
import { isPlainObject } from '../../../kernel/json.ts'
import type { ModelRequest } from '../../port.ts'

/** The body of a request. Frames are kept from turn to turn, and so are the bytes that were made of each: a turn costs what is new
 *  in it, and the beginning of every request stays the same, which is what prompt caches look at. */
export function bodyOf(model: string, { messages, tools, maxTokens, temperature }: ModelRequest): Buffer {
  const rest = JSON.stringify({
    ...(Number.isFinite(maxTokens) && { max_tokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
    stream: true,
    stream_options: { include_usage: true },
  })
  const head = `{"model":${JSON.stringify(model)},"messages":[`
  const frames = messages.flatMap((message, i) => (i === 0 ? [kept(message, frameOf)] : [COMMA, kept(message, frameOf)]))
  const offered = tools.length === 0 ? [] : [Buffer.from(',"tools":'), kept(tools, toolsOf)]
  return Buffer.concat([Buffer.from(head), ...frames, Buffer.from(']'), ...offered, COMMA, Buffer.from(rest.slice(1))])
}

const COMMA = Buffer.from(',')
const made = new WeakMap<object, Buffer>()

function kept<T extends object>(value: T, make: (value: T) => unknown): Buffer {
  const known = made.get(value)
  if (known !== undefined) return known
  const bytes = Buffer.from(JSON.stringify(make(value)))
  made.set(value, bytes)
  return bytes
}

function frameOf({ role, content, toolCalls = [], toolCallId = '' }: EngineLoopMessage): object {
  if (role === 'tool') return { role, tool_call_id: toolCallId, content }
  if (toolCalls.length === 0) return { role, content }
  return {
    role,
    content: content === '' ? null : content,
    tool_calls: toolCalls.map(call => ({ id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments } })),
  }
}

function toolsOf(tools: readonly EngineLoopTool[]): object[] {
  return tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters: isPlainObject(parameters) ? parameters : { type: 'object', properties: {} } },
  }))
}
