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

/** So often a wish for less than our own delay is taken by the letter. Whoever goes on asking for no wait at all would else be asked
 *  again without end. */
const SHORT_WISHES = 3

export type RetryPlan = { kind: 'wait'; ms: number } | { kind: 'give-up'; retryAfterMs?: number }

/** What to do after a failure that came before any part of a reply was taken. `retry` counts from 0, `waitedMs` is what failures of
 *  its kind were waited for, `random` is in [0, 1). */
export function planRetry(
  failure: ModelFailed,
  { retry, waitedMs, random }: { retry: number; waitedMs: number; random: number },
): RetryPlan {
  const patience = PATIENCE_MS[failure.kind]
  if (patience === undefined) return { kind: 'give-up' }
  const left = patience - waitedMs
  const { retryAfterMs } = failure
  const own = Math.round(Math.min(LONGEST_DELAY_MS, SECOND_MS * 2 ** retry) * (1 + JITTER * random))
  const ms = retryAfterMs === undefined ? own : retry < SHORT_WISHES ? retryAfterMs : Math.max(retryAfterMs, own)
  if (ms <= left) return { kind: 'wait', ms }
  return { kind: 'give-up', ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

/** L-49: plans the retries of one send. Each kind of failure has its own patience: a long wait for a rate limit takes nothing from
 *  what a broken connection behind it is waited for. */
export function createRetryPlanner(): (failure: ModelFailed, random: number) => RetryPlan {
  const waited = new Map<FailureKind, number>()
  let retry = 0
  return (failure, random) => {
    const waitedMs = waited.get(failure.kind) ?? 0
    const plan = planRetry(failure, { retry: retry++, waitedMs, random })
    if (plan.kind === 'wait') waited.set(failure.kind, waitedMs + plan.ms)
    return plan
  }
}
