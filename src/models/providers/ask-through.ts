import type {
  LanguageModelV4,
  LanguageModelV4FinishReason,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import { isPlainObject } from '../../kernel/json.ts'
import { ModelFailed } from '../failure.ts'
import type { FinishReason, ModelPart } from '../port.ts'
import { toUsage } from '../usage.ts'
import type { Ask } from './remote-model.ts'
import { createReplay } from './replay.ts'
import { toTools } from './to-prompt.ts'

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
  const replay = createReplay()
  let loaded: Promise<LanguageModelV4> | undefined

  const streamed = async ({ messages, tools, maxTokens, temperature, signal }: Parameters<Ask>[0]) => {
    loaded ??= load()
    const model = await loaded
    for (;;) {
      const { prompt, digest } = replay.promptFor(messages, tools)
      try {
        const { stream } = await model.doStream({
          prompt: mark(prompt),
          ...(Number.isFinite(maxTokens) && { maxOutputTokens: maxTokens }),
          ...(tools.length > 0 && { tools: toTools(tools) }),
          ...(temperature !== undefined && { temperature }),
          ...(providerOptions && { providerOptions }),
          abortSignal: signal,
          // Every sign of life is seen by it, also what is no part of a reply.
          includeRawChunks: true,
        })
        return { stream, record: replay.record(digest) }
      } catch (error) {
        // Thoughts that are not taken back are left out from then on.
        if (!isAboutThoughts(error) || !replay.forget()) throw error
      }
    }
  }

  return async function* (request) {
    const { stream, record } = await streamed(request)
    request.onAlive?.()
    for await (const part of stream) {
      request.onAlive?.()
      if (part.type === 'error') throw part.error
      record(part)
      const ours = toPart(part)
      if (ours) yield ours
    }
  }
}

const ABOUT_THOUGHTS = /signature|thinking|thought|reasoning|encrypted/i

function isAboutThoughts(thrown: unknown): boolean {
  return (
    isPlainObject(thrown) &&
    thrown['statusCode'] === 400 &&
    typeof thrown['responseBody'] === 'string' &&
    ABOUT_THOUGHTS.test(thrown['responseBody'])
  )
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
