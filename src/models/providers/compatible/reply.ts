import { isPlainObject, parseJson } from '../../../kernel/json.ts'
import { ModelFailed } from '../../failure.ts'
import type { FinishReason, ModelPart } from '../../port.ts'
import { toUsage } from '../../usage.ts'

const FINISHES: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  length: 'length',
  content_filter: 'refused',
}

interface OpenCall {
  id: string
  name: string
  arguments: string
}

/** Reads a streamed reply, one event at a time. Servers differ: thinking has two names, a call may come whole or in pieces, with
 *  or without its place in the list, and figures come with the last event or after it. */
export function createReplyReader(): { read: (data: string) => ModelPart[]; end: () => ModelPart[] } {
  const calls = new Map<number, OpenCall>()
  let finish: FinishReason | null = null
  let usage: ReturnType<typeof toUsage> = null

  const callParts = (pieces: unknown[]): ModelPart[] =>
    pieces.filter(isPlainObject).flatMap((piece): ModelPart[] => {
      const about = objectOf(piece['function'])
      const index = typeof piece['index'] === 'number' ? piece['index'] : nextIndex(calls, piece['id'])
      const known = calls.get(index)
      const text = argumentText(about['arguments'])
      if (known) {
        known.arguments += text
        return text === '' ? [] : [{ kind: 'call-delta', id: known.id, text }]
      }
      const call = { id: textOf(piece['id']) || `call_${index}`, name: textOf(about['name']), arguments: text }
      calls.set(index, call)
      const start: ModelPart = { kind: 'call-start', id: call.id, name: call.name }
      return text === '' ? [start] : [start, { kind: 'call-delta', id: call.id, text }]
    })

  return {
    read: data => {
      const event = parseJson(data)
      if (!isPlainObject(event)) throw new ModelFailed('server', 'The model provider sent a piece that is not JSON.')
      if (event['error'] !== undefined && event['error'] !== null) throw refusal(event['error'])
      if (isPlainObject(event['usage'])) usage = usageOf(event['usage'])
      const choice = Array.isArray(event['choices']) ? objectOf(event['choices'][0]) : {}
      const reason = choice['finish_reason']
      if (typeof reason === 'string') finish = FINISHES[reason] ?? 'other'
      const delta = objectOf(choice['delta'] ?? choice['message'])
      const thinking = textOf(delta['reasoning_content']) || textOf(delta['reasoning'])
      const text = textOf(delta['content'])
      return [
        ...(thinking === '' ? [] : [{ kind: 'thinking', text: thinking } as const]),
        ...(text === '' ? [] : [{ kind: 'text', text } as const]),
        ...(Array.isArray(delta['tool_calls']) ? callParts(delta['tool_calls']) : []),
      ]
    },
    end: () => {
      // A stream that broke off says nothing of how it ended; nothing of it may be carried out.
      if (finish === null) return []
      const whole = [...calls.values()].map((call): ModelPart => ({ kind: 'call', ...call, arguments: call.arguments || '{}' }))
      return [...whole, { kind: 'finish', reason: finish, usage }]
    },
  }
}

// Without a place, a piece with a new id begins a call, and any other belongs to the last one.
function nextIndex(calls: ReadonlyMap<number, OpenCall>, id: unknown): number {
  const last = calls.size - 1
  return last >= 0 && (textOf(id) === '' || calls.get(last)?.id === id) ? last : last + 1
}

function argumentText(value: unknown): string {
  return isPlainObject(value) ? JSON.stringify(value) : textOf(value)
}

function usageOf(raw: Record<string, unknown>): ReturnType<typeof toUsage> {
  const cost = raw['cost']
  return toUsage({
    prompt: figure(raw['prompt_tokens']),
    cached: figure(objectOf(raw['prompt_tokens_details'])['cached_tokens']) ?? figure(raw['prompt_cache_hit_tokens']),
    completion: figure(raw['completion_tokens']),
    reasoning: figure(objectOf(raw['completion_tokens_details'])['reasoning_tokens']),
    costUsd: figure(cost),
  })
}

function refusal(error: unknown): ModelFailed {
  const message = isPlainObject(error) ? textOf(error['message']) : textOf(error)
  return new ModelFailed('server', (message || 'The model provider sent an error.').slice(0, 500))
}

function figure(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function objectOf(value: unknown): Record<string, unknown> {
  return isPlainObject(value) ? value : {}
}
