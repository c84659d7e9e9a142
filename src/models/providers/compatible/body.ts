import type { EngineLoopMessage, EngineLoopTool } from '../../../kernel/frames.ts'
import { isPlainObject } from '../../../kernel/json.ts'
import type { ModelRequest } from '../../port.ts'

/** The body of a request. Frames are kept from turn to turn, and so is the text that was made of each: a turn costs what is new in
 *  it, and the beginning of every request stays the same, byte for byte, which is what prompt caches look at. */
export function bodyOf(model: string, { messages, tools, maxTokens, temperature }: ModelRequest): string {
  const rest = JSON.stringify({
    ...(Number.isFinite(maxTokens) && { max_tokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
    stream: true,
    stream_options: { include_usage: true },
  })
  const offered = tools.length === 0 ? '' : `"tools":${kept(tools, toolsOf)},`
  const frames = messages.map(message => kept(message, frameOf)).join(',')
  return `{"model":${JSON.stringify(model)},"messages":[${frames}],${offered}${rest.slice(1)}`
}

const made = new WeakMap<object, string>()

function kept<T extends object>(value: T, make: (value: T) => unknown): string {
  const known = made.get(value)
  if (known !== undefined) return known
  const text = JSON.stringify(make(value))
  made.set(value, text)
  return text
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
