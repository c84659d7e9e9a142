import type { Event } from '../../kernel/event.ts'
import type { Usage } from '../../kernel/frames.ts'
import { endedLoops, hasOpenLoop } from '../../runs/history.ts'
import type { EngineLoopOutcome } from '../types.ts'

/** What a whole run came to, over all its loops. */
export interface Totals {
  turns: number
  tool_calls: number
  tokens: number
  /** Null: of some turn it is not known what it cost. */
  cost_micro_usd: number | null
  /** Of all replies, by kind. */
  usage: { prompt: number; cached: number; cache_write: number; completion: number; reasoning: number }
  /** Whether its last loop was broken off. */
  is_open: boolean
}

/** `last`: the outcome of the loop that has just ended. One that was broken off has no end in the log. */
export function totalsOf(events: readonly Event[], last: EngineLoopOutcome): Omit<Totals, 'tokens'> {
  const ofType = (...wanted: string[]): Event['data'][] => events.filter(({ type }) => wanted.includes(type)).map(({ data }) => data)
  const is_open = hasOpenLoop(events)
  const loops = [...endedLoops<EngineLoopOutcome>(events), ...(is_open ? [last] : [])]
  const sum = (of: (loop: EngineLoopOutcome) => number): number => loops.reduce((all, loop) => all + of(loop), 0)
  const usages = ofType('turn.received', 'summary.received').map(data => data['usage'] as unknown as Usage | null)
  const costs = usages.map(usage => usage?.costMicroUsd)
  const used = (of: (usage: Usage) => number): number => usages.reduce((all, usage) => all + (usage ? of(usage) : 0), 0)
  return {
    turns: sum(loop => loop.turnsUsed),
    tool_calls: sum(loop => loop.toolCallCount),
    cost_micro_usd: costs.reduce<number | null>((all, cost) => (all === null || cost === undefined ? null : all + cost), 0),
    usage: {
      prompt: used(({ prompt }) => prompt),
      cached: used(({ cached }) => cached),
      cache_write: used(({ cacheWrite }) => cacheWrite),
      completion: used(({ completion }) => completion),
      reasoning: used(({ reasoning }) => reasoning),
    },
    is_open,
  }
}
