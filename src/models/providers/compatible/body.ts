import type { EngineLoopMessage, EngineLoopTool } from '../../../kernel/frames.ts'
import { isPlainObject } from '../../../kernel/json.ts'
import { prefixFold } from '../../../kernel/prefix-fold.ts'
import type { ModelRequest } from '../../port.ts'

/** Makes the bodies of a conversation's requests, each in two pieces. What was sent before is sent again as it stands: a turn costs
 *  what is new in it, and the beginning of every request stays the same, which is what prompt caches look at. */
export function bodiesFor(model: string): (request: ModelRequest) => Buffer[] {
  const begin = growing(`{"model":${JSON.stringify(model)},"messages":[`, frameOf)
  const offered = new WeakMap<readonly EngineLoopTool[], string>()
  const toolsText = (tools: readonly EngineLoopTool[]): string => {
    const known = offered.get(tools) ?? `"tools":${JSON.stringify(toolsOf(tools))},`
    offered.set(tools, known)
    return known
  }
  return ({ messages, tools, maxTokens, temperature }) => {
    const rest = JSON.stringify({
      ...(Number.isFinite(maxTokens) && { max_tokens: maxTokens }),
      ...(temperature !== undefined && { temperature }),
      stream: true,
      stream_options: { include_usage: true },
    })
    return [begin(messages), Buffer.from(`],${tools.length === 0 ? '' : toolsText(tools)}${rest.slice(1)}`)]
  }
}

const FIRST_BYTES = 64 << 10

/** A list that mostly grows at its end, as JSON behind `head`. */
function growing<T extends object>(head: string, toJson: (item: T) => object): (items: readonly T[]) => Buffer {
  const begin = Buffer.from(head)
  let bytes = Buffer.concat([begin], FIRST_BYTES)
  let used = begin.length
  const endOf = prefixFold<T, number>(begin.length, (end, item) => {
    const piece = Buffer.from(`${end === begin.length ? '' : ','}${JSON.stringify(toJson(item))}`)
    const next = end + piece.length
    // What was given out is not written over: it may still be on its way.
    if (end < used || next > bytes.length) bytes = Buffer.concat([bytes.subarray(0, end)], Math.max(FIRST_BYTES, 2 * next))
    piece.copy(bytes, end)
    used = next
    return next
  })
  return items => {
    const end = endOf(items)
    return bytes.subarray(0, end)
  }
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
