import type { LanguageModelV4FunctionTool, LanguageModelV4Message } from '@ai-sdk/provider'
import type { EngineLoopMessage, EngineLoopTool } from '../../kernel/frames.ts'
import { isPlainObject, parseJson } from '../../kernel/json.ts'

/** A frame in the form that the provider libraries take. */
export function toMessage({ role, content, toolCalls = [], toolCallId = '', toolName = '' }: EngineLoopMessage): LanguageModelV4Message {
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
          ...toolCalls.map(call => ({
            type: 'tool-call' as const,
            toolCallId: call.id,
            toolName: call.name,
            input: inputOf(call.arguments),
          })),
        ],
      }
    case 'tool':
      return { role, content: [{ type: 'tool-result', toolCallId, toolName, output: { type: 'text', value: content } }] }
  }
}

// A model provider only takes an object back; what the model wrote and could not be read stays visible to it.
export function inputOf(text: string): object {
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
