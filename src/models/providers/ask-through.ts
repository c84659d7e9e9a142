import type {
  LanguageModelV4,
  LanguageModelV4FinishReason,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import { ModelFailed } from '../failure.ts'
import type { FinishReason, ModelPart } from '../port.ts'
import { toUsage } from '../usage.ts'
import type { Ask } from './remote-model.ts'
import { toPrompt, toTools } from './to-prompt.ts'

const FINISHES: Readonly<Record<LanguageModelV4FinishReason['unified'], FinishReason | 'cut'>> = {
  stop: 'stop',
  'tool-calls': 'tool_use',
  length: 'length',
  'content-filter': 'refused',
  error: 'cut',
  interrupted: 'cut',
  other: 'other',
}

/** What a protocol wants to be told beside the conversation. */
export interface Telling {
  providerOptions?: SharedV4ProviderOptions
  /** About places in the conversation. */
  mark?: (prompt: LanguageModelV4Prompt) => LanguageModelV4Prompt
}

/** Asks a model through one of the provider libraries, which is loaded with the first request. */
export function askThrough(load: () => Promise<LanguageModelV4>, { providerOptions, mark = prompt => prompt }: Telling = {}): Ask {
  let loaded: Promise<LanguageModelV4> | undefined
  return async function* ({ messages, tools, maxTokens, temperature, signal, onAlive }) {
    loaded ??= load()
    const { stream } = await (await loaded).doStream({
      prompt: mark(toPrompt(messages)),
      ...(Number.isFinite(maxTokens) && { maxOutputTokens: maxTokens }),
      ...(tools.length > 0 && { tools: toTools(tools) }),
      ...(temperature !== undefined && { temperature }),
      ...(providerOptions && { providerOptions }),
      abortSignal: signal,
      // Every sign of life is seen by it, also what is no part of a reply.
      includeRawChunks: true,
    })
    onAlive?.()
    for await (const part of stream) {
      onAlive?.()
      if (part.type === 'error') throw part.error
      const ours = toPart(part)
      if (ours) yield ours
    }
  }
}

function toPart(part: LanguageModelV4StreamPart): ModelPart | null {
  switch (part.type) {
    case 'text-delta':
      return { kind: 'text', text: part.delta }
    case 'reasoning-delta':
      return { kind: 'thinking', text: part.delta }
    case 'tool-input-start':
      return { kind: 'call-start', id: part.id, name: part.toolName }
    case 'tool-input-delta':
      return { kind: 'call-delta', id: part.id, text: part.delta }
    case 'tool-call':
      return { kind: 'call', id: part.toolCallId, name: part.toolName, arguments: part.input }
    case 'finish':
      return finish(part)
    default:
      return null
  }
}

function finish({ finishReason, usage }: Extract<LanguageModelV4StreamPart, { type: 'finish' }>): ModelPart {
  const reason = FINISHES[finishReason.unified]
  // A stream that broke off is a failed request, whatever had come of it.
  if (reason === 'cut') throw new ModelFailed('server', `The reply broke off (${finishReason.raw ?? finishReason.unified}).`)
  const { inputTokens, outputTokens, raw } = usage
  return {
    kind: 'finish',
    reason,
    usage: toUsage({
      costUsd: typeof raw?.['cost'] === 'number' ? raw['cost'] : undefined,
      prompt: inputTokens.total,
      cached: inputTokens.cacheRead,
      cacheWrite: inputTokens.cacheWrite,
      completion: outputTokens.total,
      reasoning: outputTokens.reasoning,
    }),
  }
}
