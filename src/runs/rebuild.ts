import type { Event } from '../kernel/event.ts'
import type { EngineLoopAnswer, EngineLoopMessage, EngineToolCall, Usage } from '../kernel/frames.ts'
import type { KeptText } from '../kernel/kept-text.ts'
import type { Blobs } from '../store/blobs.ts'
import type { TurnFacts } from '../text/dialects/judge-turn.ts'
import type { LoopCounts, LoopState } from './loop-state.ts'

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

interface Pending {
  answer: EngineLoopAnswer
  calls: EngineToolCall[]
}

/** Rebuilds the newest loop from the events of its run; null where none had begun. Pure but for long texts, which are read. */
export function rebuildLoop(events: readonly Event[], { read }: Pick<Blobs, 'read'>): RebuiltLoop | null {
  if (!events.some(({ type }) => type === 'loop.started')) return null
  let loop = 0
  let messages: EngineLoopMessage[] = []
  let counts: LoopCounts = { turnsUsed: 0, tokensUsed: 0, toolCallCount: 0 }
  let facts: TurnFacts[] = []
  const settled = new Map<string, { ok: boolean; result: string }>()
  let pending: Pending | null = null
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
        pending = pendingOf(data, read)
        counts.tokensUsed += Number(data['tokens'])
        settled.clear()
        break
      case 'call.settled':
        settled.set(data['call'] as string, { ok: data['ok'] === true, result: read(data['result'] as KeptText) })
        break
      case 'checkpoint.saved':
        messages.push(...framesOf(data['frames'] as unknown as SavedFrame[], pending, settled))
        if (data['facts'] !== null) facts.push(data['facts'] as unknown as TurnFacts)
        Object.assign(counts, countsOf(data as unknown as LoopCounts))
        pending = null
        settled.clear()
        break
      case 'loop.stopped':
        stopped = true
        break
      default:
        break
    }
  }
  return { loop, messages, state: { ...counts, facts, ...(pending && { reply: pending.answer }) }, settled, nextTurn: turn + 1, stopped }
}

type SavedFrame = { from: 'reply' } | { from: 'call'; call: string } | { from: 'text'; frame: EngineLoopMessage }

function framesOf(saved: SavedFrame[], pending: Pending | null, settled: ReadonlyMap<string, { result: string }>): EngineLoopMessage[] {
  return saved.flatMap((kept): EngineLoopMessage[] => {
    if (kept.from === 'text') return [kept.frame]
    if (kept.from === 'reply') return pending ? [pending.answer.assistantMessage] : []
    const call = pending?.calls.find(({ id }) => id === kept.call)
    return [{ role: 'tool', content: settled.get(kept.call)?.result ?? '', toolCallId: kept.call, toolName: call?.name ?? '' }]
  })
}

function countsOf({ turnsUsed, tokensUsed, toolCallCount }: LoopCounts): LoopCounts {
  return { turnsUsed, tokensUsed, toolCallCount }
}

function pendingOf(data: Event['data'], read: Blobs['read']): Pending {
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
  const answer: EngineLoopAnswer =
    data['stop'] === 'text' ? { stop: 'text', content, truncated, ...common } : { stop: 'tool_use', ...common }
  return { answer, calls }
}
