import type { LanguageModelV4, LanguageModelV4FinishReason, LanguageModelV4StreamPart, SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { Clock } from '../../kernel/clock.ts'
import { classify } from '../classify.ts'
import { ModelFailed } from '../failure.ts'
import type { FinishReason, Model, ModelPart, ModelRequest } from '../port.ts'
import { toUsage } from '../usage.ts'
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

export interface AiSdkOptions {
  name: string
  gate: string
  clock: Clock
  /** The provider's library is loaded with the first request. */
  load: () => Promise<LanguageModelV4>
  providerOptions?: SharedV4ProviderOptions
  /** Its key, which must stand in no message of a failure, whatever a server sends back. */
  key: string | undefined
  /** Longest wait for the first byte of a reply. */
  firstByteMs: number
}

/** A model behind one of the provider libraries. */
export function createAiSdkModel(options: AiSdkOptions): Model {
  return { name: options.name, gate: options.gate, scripted: false, stream: request => stream(options, request) }
}

async function* stream({ clock, load, providerOptions, key, firstByteMs }: AiSdkOptions, request: ModelRequest): AsyncIterable<ModelPart> {
  const { messages, tools, maxTokens, temperature, signal } = request
  const patience = new AbortController()
  const timer = setTimeout(() => patience.abort(), firstByteMs)
  const failure = (error: unknown): ModelFailed =>
    patience.signal.aborted && !signal?.aborted
      ? new ModelFailed('gateway', `The model provider sent nothing for ${firstByteMs / 1000} s.`, { cause: error })
      : classify(error, { now: clock.now(), signal })
  try {
    const model = await load()
    const reply = await model.doStream({
      prompt: toPrompt(messages),
      ...(Number.isFinite(maxTokens) && { maxOutputTokens: maxTokens }),
      ...(tools.length > 0 && { tools: toTools(tools) }),
      ...(temperature !== undefined && { temperature }),
      ...(providerOptions && { providerOptions }),
      abortSignal: signal ? AbortSignal.any([signal, patience.signal]) : patience.signal,
    })
    for await (const part of reply.stream) {
      if (part.type === 'error') throw part.error
      if (part.type !== 'stream-start') clearTimeout(timer)
      const ours = toPart(part)
      if (ours) yield ours
    }
  } catch (error) {
    throw withoutKey(failure(error), key)
  } finally {
    clearTimeout(timer)
  }
}

function withoutKey(failure: ModelFailed, key: string | undefined): ModelFailed {
  if (!key || !failure.message.includes(key)) return failure
  const { kind, status, retryAfterMs } = failure
  return new ModelFailed(kind, failure.message.replaceAll(key, '[key]'), { status, retryAfterMs })
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
