import type { EventLog } from '../store/event-log.ts'
import type { Attempts } from './attempts.ts'
import { type DigestNow, recover } from './recovery.ts'
import type { Claim, Runs } from './runs.ts'

interface SettleOpenOptions {
  log: EventLog
  runs: Pick<Runs, 'fenced'>
  attempts: Attempts
  digestNow: DigestNow
}

/** Settles what a process had reserved and left open, because it died or was stopped, and writes down what the model is told of
 *  it: whatever goes on with the run later finds the call settled and does not repeat it. Gives what each call came to. */
export function settleOpen(
  claim: Claim,
  { log, runs, attempts, digestNow }: SettleOpenOptions,
): Map<string, { ok: boolean; result: string }> {
  return runs.fenced(claim, () => {
    const stream = `run:${claim.run}`
    const settled = new Map<string, { ok: boolean; result: string }>()
    const open = attempts.open(claim.run)
    const reserved = open.length === 0 ? [] : log.list({ streams: [stream], types: ['call.reserved'] }, 1_000_000)
    for (const attempt of open) {
      const { status, outcome, told } = recover(attempt, digestNow)
      attempts.settle(claim, attempt.id, { status, outcome })
      const { loop, turn } = reserved.find(({ data }) => data['attempt'] === attempt.id)?.data ?? {}
      if (!told || loop === undefined || turn === undefined) continue
      log.append(stream, 'call.settled', { loop, turn, call: attempt.call, attempt: attempt.id, ...told, duration_ms: 0, exit: null })
      settled.set(attempt.call, told)
    }
    return settled
  })
}
