import { LEAST_REPLY_TOKENS, type Reservation, type Reserve } from '../../models/client.ts'
import type { ModelSpec } from '../../models/resolve/spec.ts'
import { costOf, type Prices } from '../../models/usage.ts'
import type { Budgets } from '../../runs/budget/budgets.ts'
import type { Reserved } from '../../runs/recorder.ts'
import { shortWords } from './limit-words.ts'
import type { RunTime } from './time.ts'

/** Most tokens of a reply where nobody knows how long the model's may be. What is reserved and lost in a crash is paid. */
const UNKNOWN_REPLY = 16_384

/** A reservation that has a number. */
export type ReserveNumbered = (...want: Parameters<Reserve>) => (Reservation & { reserved: Reserved }) | { refused: string }

/** L-57: every model call reserves its prompt, its reply and their price at a node, and gets no more than the nodes leave. `time`: what
 *  went by until its reply came is booked with it, so that a crash forgets no more than the turn it came in. */
export function reserveAt(
  budgets: Budgets,
  node: string,
  { prices, context, reply: limit = UNKNOWN_REPLY }: Pick<ModelSpec, 'prices' | 'context' | 'reply'>,
  time?: Pick<RunTime, 'take'>,
): ReserveNumbered {
  return ({ prompt, reply: wanted }) => {
    let reply = 0
    const held = budgets.reserve(node, left => {
      // Request and reply share what the model sees: servers refuse a limit that goes beyond it, however short the reply would be.
      const room = Math.min(wanted, limit, context - prompt, left('tokens') - prompt, affordable(left('costMicroUsd'), prompt, prices))
      reply = Math.max(LEAST_REPLY_TOKENS, Math.floor(room))
      return { tokens: prompt + reply, turns: 1, ...(prices && { costMicroUsd: priceOf(prompt, reply, prices) }) }
    })
    if (!held.ok) return { refused: shortWords(held) }
    return {
      reply,
      reserved: { id: held.id, tokens: prompt + reply },
      settle: ({ tokens, costMicroUsd }) =>
        budgets.settle(held.id, { tokens, costMicroUsd, turns: 1, ...(time && { wallMs: time.take() }) }),
      release: () => budgets.release(held.id),
    }
  }
}

function priceOf(prompt: number, completion: number, prices: Prices): number {
  // As if nothing were in the cache, or all of it were written there: whichever is dearer.
  const dearest = Math.max(prices.in, prices.write_in ?? 0)
  return costOf(
    { prompt, cached: 0, cacheWrite: 0, completion, reasoning: 0, total: prompt + completion },
    { in: dearest, out: prices.out },
  )
}

/** How long a reply the money allows. */
function affordable(leftMicroUsd: number, prompt: number, prices: Prices | undefined): number {
  if (!prices || prices.out === 0 || leftMicroUsd === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY
  return Math.floor((leftMicroUsd - priceOf(prompt, 0, prices)) / prices.out)
}
