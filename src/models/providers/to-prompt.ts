import type { LanguageModelV4FunctionTool, LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { EngineLoopMessage, EngineLoopTool, EngineToolCall } from '../../kernel/frames.ts'
import { isPlainObject, parseJson } from '../../kernel/json.ts'

/** Frames in the form that the providers take. Frames are kept from turn to turn, and so is what was made of each: the
 *  beginning of every request stays the same, byte for byte, which is what prompt caches look at. */
export function toPrompt(messages: readonly EngineLoopMessage[]): LanguageModelV4Prompt {
  return messages.map(message => {
    const known = converted.get(message)
    if (known) return known
    const made = toMessage(message)
    converted.set(message, made)
    return made
  })
}

const converted = new WeakMap<EngineLoopMessage, LanguageModelV4Message>()

function toMessage({ role, content, toolCalls = [], toolCallId = '', toolName = '' }: EngineLoopMessage): LanguageModelV4Message {
  switch (role) {
    case 'system':
      return { role, content }
    case 'user':
      return { role, content: [{ type: 'text', text: content }] }
    case 'assistant':
      return {
        role,
        content: [
          ...(content === '' ? [] : [{ type: 'text' as const, text: content }]),
          ...toolCalls.map(call => ({ type: 'tool-call' as const, toolCallId: call.id, toolName: call.name, input: inputOf(call) })),
        ],
      }
    case 'tool':
      return { role, content: [{ type: 'tool-result', toolCallId, toolName, output: { type: 'text', value: content } }] }
  }
}

// A model provider only takes an object back; what the model wrote and could not be read stays visible to it.
function inputOf({ arguments: text }: EngineToolCall): object {
  const parsed = parseJson(text)
  return isPlainObject(parsed) ? parsed : { text }
}

export function toTools(tools: readonly EngineLoopTool[]): LanguageModelV4FunctionTool[] {
  const known = convertedTools.get(tools)
  if (known) return known
  const made = tools.map(({ name, description, parameters }) => ({
    type: 'function' as const,
    name,
    description,
    inputSchema: (isPlainObject(parameters)
      ? parameters
      : { type: 'object', properties: {} }) as LanguageModelV4FunctionTool['inputSchema'],
  }))
  convertedTools.set(tools, made)
  return made
}

const convertedTools = new WeakMap<readonly EngineLoopTool[], LanguageModelV4FunctionTool[]>()
