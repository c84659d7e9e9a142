import type { JsonObject } from '../kernel/json.ts'
import type { EventLog } from '../store/event-log.ts'
import type { Attempt, Attempts } from './attempts.ts'
import { eventsOf } from './history.ts'
import { type DigestNow, type Recovered, recover } from './recovery.ts'
import type { Claim, Runs } from './runs.ts'

interface SettleOpenOptions {
  log: EventLog
  runs: Pick<Runs, 'fenced'>
  attempts: Attempts
  digestNow: DigestNow
}

const BY = { actor: 'recovery' }

/** Settles what a process had reserved and left open, because it died or was stopped, and writes down what the model is told of
 *  it: whatever goes on with the run later finds the call settled and does not repeat it. Gives what was found. */
export function settleOpen(claim: Claim, { log, runs, attempts, digestNow }: SettleOpenOptions): Recovered[] {
  return runs.fenced(claim, () => {
    const stream = `run:${claim.run}`
    const open = attempts.open(claim.run)
    const reserved = open.length === 0 ? [] : eventsOf(log, claim.run, ['call.reserved'])
    return open.map(attempt => {
      const found = recover(attempt, digestNow)
      const { status, outcome, told } = found
      attempts.settle(claim, attempt.id, { status, outcome })
      const { loop, turn } = reserved.find(({ data }) => data['attempt'] === attempt.id)?.data ?? {}
      if (!told || loop === undefined || turn === undefined) return found
      log.append(stream, 'call.settled', {
        loop,
        turn,
        call: attempt.call,
        attempt: attempt.id,
        ...told,
        duration_ms: 0,
        exit: null,
        ...BY,
      })
      if (isPartial(found)) log.append(stream, 'finding.recorded', { finding: partialEffect(attempt), ...BY })
      return found
    })
  })
}

// L-44: nobody knows what the paths of an interrupted write hold now.
function isPartial({ attempt, outcome }: Recovered): boolean {
  return attempt.effect === 'write' && outcome === 'unknown'
}

function partialEffect({ paths }: Attempt): JsonObject {
  const path = paths.map(change => change.path).join(', ')
  return { id: 'partial-effect', severity: 'review', path, hint: 'Look at the file: a write to it was interrupted.' }
}
