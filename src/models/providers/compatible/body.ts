import { hash } from 'node:crypto'
import type { EngineLoopMessage, EngineLoopTool, EngineToolCall } from '../../../kernel/frames.ts'
import { isPlainObject, parseJson } from '../../../kernel/json.ts'
import { prefixFold } from '../../../kernel/prefix-fold.ts'
import type { ModelRequest } from '../../port.ts'
import { createKeepsakes, type Keepsakes } from './keepsakes.ts'
import { type Manner, USUAL } from './manner.ts'

/** Makes the bodies of a conversation's requests, each in two pieces. What was sent before is sent again as it stands: a turn costs
 *  what is new in it, and the beginning of every request stays the same, which is what prompt caches look at. */
export function bodiesFor(
  model: string,
  { manner = USUAL, keepsakes = createKeepsakes() }: { manner?: Manner; keepsakes?: Keepsakes } = {},
): (request: ModelRequest) => Buffer[] {
  const begin = growing<EngineLoopMessage>(`{"model":${JSON.stringify(model)},"messages":[`, (message, before) => [
    ...(manner.bridged && message.role === 'user' && before?.role === 'tool' ? [BRIDGE] : []),
    frameOf(message, manner, keepsakes),
  ])
  const offered = new WeakMap<readonly EngineLoopTool[], string>()
  const toolsText = (tools: readonly EngineLoopTool[]): string => {
    const known = offered.get(tools) ?? `"tools":${JSON.stringify(toolsOf(tools))},`
    offered.set(tools, known)
    return known
  }
  return ({ messages, tools, maxTokens, temperature }) => {
    const rest = JSON.stringify({
      ...(Number.isFinite(maxTokens) && { [manner.limit]: maxTokens }),
      ...(temperature !== undefined && { temperature }),
      stream: true,
      ...(manner.asksForUsage && { stream_options: { include_usage: true } }),
    })
    return [begin(messages), Buffer.from(`],${tools.length === 0 ? '' : toolsText(tools)}${rest.slice(1)}`)]
  }
}

const BRIDGE = { role: 'assistant', content: 'I have read the results.' }

const FIRST_BYTES = 64 << 10

/** A list that mostly grows at its end, as JSON behind `head`. */
function growing<T extends object>(head: string, toJson: (item: T, before: T | null) => object[]): (items: readonly T[]) => Buffer {
  const begin = Buffer.from(head)
  let bytes = Buffer.concat([begin], FIRST_BYTES)
  let used = begin.length
  const endOf = prefixFold<T, { end: number; last: T | null }>({ end: begin.length, last: null }, ({ end, last }, item) => {
    const text = toJson(item, last)
      .map(part => JSON.stringify(part))
      .join(',')
    const piece = Buffer.from(`${last === null ? '' : ','}${text}`)
    const next = end + piece.length
    // What was given out is not written over: it may still be on its way.
    if (end < used || next > bytes.length) bytes = Buffer.concat([bytes.subarray(0, end)], Math.max(FIRST_BYTES, 2 * next))
    piece.copy(bytes, end)
    used = next
    return { end: next, last: item }
  })
  return items => {
    const { end } = endOf(items)
    return bytes.subarray(0, end)
  }
}

function frameOf(
  { role, content, toolCalls = [], toolCallId = '' }: EngineLoopMessage,
  { thoughts, shortIds }: Manner,
  keepsakes: Keepsakes,
): object {
  const idOf = (id: string): string => (shortIds ? shortId(id) : id)
  if (role === 'tool') return { role, tool_call_id: idOf(toolCallId), content }
  const [first] = toolCalls
  if (!first) return { role, content }
  const kept = (id: string) => (thoughts === 'left-out' ? undefined : keepsakes.of(id))
  return {
    role,
    content: content === '' ? null : content,
    ...(thoughts === 'filled' && { reasoning_content: '' }),
    ...kept(first.id)?.frame,
    tool_calls: toolCalls.map(call => ({
      id: idOf(call.id),
      type: 'function',
      function: { name: call.name, arguments: argumentsOf(call) },
      ...kept(call.id)?.call,
    })),
  }
}

// Servers read them to write the prompt, and refuse the whole request where they cannot.
function argumentsOf({ arguments: text }: EngineToolCall): string {
  return isPlainObject(parseJson(text)) ? text : JSON.stringify({ text })
}

const SHORT_ID = /^[a-zA-Z0-9]{9}$/

function shortId(id: string): string {
  return SHORT_ID.test(id) ? id : hash('sha256', id, 'hex').slice(0, 9)
}

function toolsOf(tools: readonly EngineLoopTool[]): object[] {
  return tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters: isPlainObject(parameters) ? parameters : { type: 'object', properties: {} } },
  }))
}
