import type { FailureKind, ModelFailed } from '../failure.ts'

const SECOND_MS = 1_000
const LONGEST_DELAY_MS = 30 * SECOND_MS
const JITTER = 0.25

/** How long failures of a kind may be waited for in all. What is not here is never tried again. */
const PATIENCE_MS: Partial<Record<FailureKind, number>> = {
  gateway: 30 * SECOND_MS,
  server: 60 * SECOND_MS,
  rate: 600 * SECOND_MS,
}

export type RetryPlan = { kind: 'wait'; ms: number } | { kind: 'give-up'; retryAfterMs?: number }

/** What to do after a failure that came before any part of a reply was taken. `retry` counts from 0, `random` is in [0, 1). */
export function planRetry(
  failure: ModelFailed,
  { retry, waitedMs, random }: { retry: number; waitedMs: number; random: number },
): RetryPlan {
  const patience = PATIENCE_MS[failure.kind]
  if (patience === undefined) return { kind: 'give-up' }
  const left = patience - waitedMs
  if (failure.retryAfterMs !== undefined) {
    return failure.retryAfterMs <= left
      ? { kind: 'wait', ms: failure.retryAfterMs }
      : { kind: 'give-up', retryAfterMs: failure.retryAfterMs }
  }
  const ms = Math.round(Math.min(LONGEST_DELAY_MS, SECOND_MS * 2 ** retry) * (1 + JITTER * random))
  return ms <= left ? { kind: 'wait', ms } : { kind: 'give-up' }
}
