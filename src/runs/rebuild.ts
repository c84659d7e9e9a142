import type { Event } from '../kernel/event.ts'
import type { EngineLoopAnswer, EngineLoopMessage, EngineToolCall, Usage } from '../kernel/frames.ts'
import type { KeptText } from '../kernel/kept-text.ts'
import type { Blobs } from '../store/blobs.ts'
import type { TurnFacts } from '../text/dialects/judge-turn.ts'
import type { LoopCounts, LoopState } from './loop-state.ts'
import { framesOf, type SavedFrame } from './saved-frames.ts'

/** One loop of a run as the log tells it. */
export interface RebuiltLoop {
  loop: number
  /** Frames of the turns that had ended, as they were sent. */
  messages: EngineLoopMessage[]
  state: LoopState
  /** Results of calls of the turn that had not ended, by call. */
  settled: ReadonlyMap<string, { ok: boolean; result: string }>
  /** The turn that would be sent next. */
  nextTurn: number
  stopped: boolean
}

/** Rebuilds the newest loop from the events of its run; null where none had begun. Pure but for long texts, which are read. */
export function rebuildLoop(events: readonly Event[], { read }: Pick<Blobs, 'read'>): RebuiltLoop | null {
  if (!events.some(({ type }) => type === 'loop.started')) return null
  let loop = 0
  let messages: EngineLoopMessage[] = []
  let counts: LoopCounts = { turnsUsed: 0, tokensUsed: 0, toolCallCount: 0 }
  let facts: TurnFacts[] = []
  const settled = new Map<string, { ok: boolean; result: string }>()
  let pending: EngineLoopAnswer | null = null
  let turn = -1
  let stopped = false
  for (const { type, data } of events) {
    switch (type) {
      case 'loop.started': {
        // A loop that continues another one adds its prompt to the same conversation.
        const user: EngineLoopMessage = { role: 'user', content: read(data['user'] as KeptText) }
        messages = data['continues'] === true ? [...messages, user] : [{ role: 'system', content: read(data['system'] as KeptText) }, user]
        loop = Number(data['loop'])
        counts = { turnsUsed: 0, tokensUsed: 0, toolCallCount: 0 }
        facts = []
        pending = null
        stopped = false
        turn = -1
        break
      }
      case 'turn.requested':
        turn = Number(data['turn'])
        counts.turnsUsed = Math.max(counts.turnsUsed, turn + 1)
        break
      case 'turn.received':
        pending = replyOf(data, read)
        counts.tokensUsed += Number(data['tokens'])
        settled.clear()
        break
      case 'call.settled':
        settled.set(data['call'] as string, { ok: data['ok'] === true, result: read(data['result'] as KeptText) })
        break
      case 'checkpoint.saved': {
        const frames = framesOf(data['frames'] as unknown as SavedFrame[], {
          before: messages,
          reply: pending?.assistantMessage ?? null,
          results: settled,
          read,
        })
        if (data['label'] === 'compaction') {
          messages = frames
          break
        }
        messages.push(...frames)
        if (data['facts'] !== null) facts.push(data['facts'] as unknown as TurnFacts)
        Object.assign(counts, countsOf(data as unknown as LoopCounts))
        pending = null
        settled.clear()
        break
      }
      case 'summary.received':
        counts.tokensUsed += Number(data['tokens'])
        break
      case 'loop.stopped':
        stopped = true
        break
      default:
        break
    }
  }
  return { loop, messages, state: { ...counts, facts, ...(pending && { reply: pending }) }, settled, nextTurn: turn + 1, stopped }
}

function countsOf({ turnsUsed, tokensUsed, toolCallCount }: LoopCounts): LoopCounts {
  return { turnsUsed, tokensUsed, toolCallCount }
}

function replyOf(data: Event['data'], read: Blobs['read']): EngineLoopAnswer {
  const calls = (data['calls'] as unknown as (EngineToolCall & { arguments: KeptText })[]).map(call => ({
    id: call.id,
    name: call.name,
    arguments: read(call.arguments),
  }))
  const content = read(data['content'] as KeptText)
  const common = {
    assistantMessage: { role: 'assistant' as const, content, ...(calls.length > 0 && { toolCalls: calls }) },
    tokensUsed: Number(data['tokens']),
    rejected: data['rejected'] as { id: string; message: string }[],
    ...(data['usage'] !== null && { usage: data['usage'] as unknown as Usage }),
  }
  const truncated = data['truncated'] === true
  return data['stop'] === 'text' ? { stop: 'text', content, truncated, ...common } : { stop: 'tool_use', ...common }
}
