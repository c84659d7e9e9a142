import type { Usage } from '../kernel/frames.ts'

/** US dollars per million tokens, by kind. */
export interface Prices {
  in: number
  out: number
  cached_in?: number | undefined
  write_in?: number | undefined
}

interface RawUsage {
  prompt: number | undefined
  cached?: number | undefined
  cacheWrite?: number | undefined
  completion: number | undefined
  reasoning?: number | undefined
  /** What the model provider itself asks for the call. */
  costUsd?: number | undefined
}

/** Figures that fit together, whatever a model provider sent; null where it sent none. */
export function toUsage(raw: RawUsage): Usage | null {
  const prompt = whole(raw.prompt)
  const completion = whole(raw.completion)
  if (prompt + completion === 0) return null
  const cached = Math.min(whole(raw.cached), prompt)
  const cacheWrite = Math.min(whole(raw.cacheWrite), prompt - cached)
  const reasoning = Math.min(whole(raw.reasoning), completion)
  const cost = raw.costUsd !== undefined && Number.isFinite(raw.costUsd) && raw.costUsd >= 0 ? roundedUp(raw.costUsd * 1e6) : undefined
  return {
    prompt,
    cached,
    cacheWrite,
    completion,
    reasoning,
    total: prompt + completion,
    ...(cost !== undefined && { costMicroUsd: cost }),
  }
}

/** What a call costs, in whole micro-dollars, rounded up. A price per million tokens is a price in micro-dollars per token. */
export function costOf(usage: Usage, prices: Prices): number {
  const { prompt, cached, cacheWrite, completion } = usage
  const exact =
    (prompt - cached - cacheWrite) * prices.in +
    cached * (prices.cached_in ?? prices.in) +
    cacheWrite * (prices.write_in ?? prices.in) +
    completion * prices.out
  return roundedUp(exact)
}

// Prices have a few decimals; without this a sum such as 3.0000000000000004 would cost a micro-dollar more.
function roundedUp(microUsd: number): number {
  return Math.ceil(Number(microUsd.toFixed(6)))
}

function whole(figure: number | undefined): number {
  return figure !== undefined && Number.isFinite(figure) && figure > 0 ? Math.ceil(figure) : 0
}
