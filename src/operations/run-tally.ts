import { basename } from 'node:path'
import type { Json, JsonObject } from '../kernel/json.ts'
import { visibleLine } from '../kernel/visible.ts'

/** What a run has used so far, as its events tell it. */
export interface Tally {
  turns: number
  calls: number
  tokens: number
  /** Micro-dollars; null: of some turn it is not known what it cost. */
  cost: number | null
  most: { calls: number; tokens: number } | null
}

export const emptyTally: Tally = { turns: 0, calls: 0, tokens: 0, cost: 0, most: null }

/** What a run has used after one more of its events. */
export function tallied(tally: Tally, type: string, data: JsonObject): Tally {
  switch (type) {
    case 'run.started':
      return { ...tally, most: mostOf(data['budget']) }
    case 'run.resumed':
      return { ...tally, ...spentOf(data['spent'], tally), most: mostOf(data['budget']) ?? tally.most }
    case 'summary.received':
    case 'turn.received': {
      const cost = (data['usage'] as { costMicroUsd?: number } | null)?.costMicroUsd
      return {
        ...tally,
        turns: tally.turns + (type === 'turn.received' ? 1 : 0),
        tokens: tally.tokens + Number(data['tokens']),
        cost: tally.cost === null || cost === undefined ? null : tally.cost + cost,
      }
    }
    case 'call.settled':
      return { ...tally, calls: tally.calls + 1 }
    default:
      return tally
  }
}

function mostOf(budget: Json | undefined): Tally['most'] {
  const { maxToolCalls, maxTokens } = (budget ?? {}) as { maxToolCalls?: number; maxTokens?: number }
  return maxToolCalls === undefined || maxTokens === undefined ? null : { calls: maxToolCalls, tokens: maxTokens }
}

/** What was used before the process that is watched. */
function spentOf(spent: Json | undefined, { cost }: Tally): Partial<Tally> {
  if (!spent) return {}
  const { turns = 0, toolCalls = 0, tokens = 0, costMicroUsd = 0 } = spent as Record<string, number>
  return { turns, calls: toolCalls, tokens, cost: cost === null ? null : costMicroUsd }
}

/** The budget in one line: what is used, and of how much. */
export function tallyLine({ turns, calls, tokens, cost, most }: Tally): string {
  return [
    `turn ${turns}`,
    `calls ${calls}${most ? ` of ${most.calls}` : ''}`,
    `tokens ${short(tokens)}${most ? ` of ${short(most.tokens)}` : ''}`,
    costText(cost),
  ].join(', ')
}

export function costText(microUsd: number | null): string {
  return microUsd === null ? 'cost unknown' : `$${(microUsd / 1e6).toFixed(4)}`
}

/** 950, 1.2k, 50k. */
function short(n: number): string {
  if (n < 1000) return String(n)
  return `${(n / 1000).toFixed(n < 10_000 ? 1 : 0).replace(/\.0$/, '')}k`
}

/** A script is named as one, by its file alone. */
export function modelName(model: string, scripted: boolean): string {
  return scripted ? `${visibleLine(basename(model))} (scripted, no real model)` : visibleLine(model)
}
