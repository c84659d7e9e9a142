import type { JsonObject } from '../kernel/json.ts'
import type { EventLog } from '../store/event-log.ts'
import type { Attempt } from './attempt.ts'
import type { Attempts } from './attempts.ts'
import { eventsOf } from './history.ts'
import { type DigestNow, type Recovered, recover } from './recovery.ts'
import type { Claim, Runs } from './runs.ts'

interface SettleOpenOptions {
  log: EventLog
  runs: Pick<Runs, 'fenced'>
  attempts: Attempts
  digestNow: DigestNow
}

const RECOVERY = 'recovery'

/** Settles what a process had reserved and left open, because it died or was stopped, and writes down what the model is told of
 *  it: whatever goes on with the run later finds the call settled and does not repeat it. Gives what was found. */
export function settleOpen(claim: Claim, { log, runs, attempts, digestNow }: SettleOpenOptions): Recovered[] {
  return runs.fenced(claim, () => {
    return attempts.open(claim.run).map(attempt => {
      const found = recover(attempt, digestNow)
      const { status, outcome, told } = found
      attempts.settle(claim, attempt.id, { status, outcome })
      if (!told || !tellModel(log, attempt, told, RECOVERY)) return found
      if (isPartial(found)) log.append(`run:${claim.run}`, 'finding.recorded', { finding: partialEffect(attempt), actor: RECOVERY })
      return found
    })
  })
}

/** Writes what the model is told of a call that was broken off; false where no turn had announced it. */
export function tellModel(log: EventLog, { id, run, call }: Attempt, told: { ok: boolean; result: string }, actor: string): boolean {
  const reserved = eventsOf(log, run, ['call.reserved']).find(({ data }) => data['attempt'] === id)
  if (!reserved) return false
  const { loop = 0, turn = 0 } = reserved.data
  log.append(`run:${run}`, 'call.settled', { loop, turn, call, attempt: id, ...told, duration_ms: 0, exit: null, actor })
  return true
}

// L-44: nobody knows what the paths of an interrupted write hold now.
function isPartial({ attempt, outcome }: Recovered): boolean {
  return attempt.effect === 'write' && outcome === 'unknown'
}

function partialEffect({ paths }: Attempt): JsonObject {
  const path = paths.map(change => change.path).join(', ')
  return { id: 'partial-effect', severity: 'review', path, hint: 'Look at the file: a write to it was interrupted.' }
}
