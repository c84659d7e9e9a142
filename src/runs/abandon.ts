import type { RunId } from '../kernel/ids.ts'
import type { EventLog } from '../store/event-log.ts'
import type { Attempt } from './attempt.ts'
import type { Attempts } from './attempts.ts'
import { AttemptSettled } from './errors.ts'
import { UNKNOWN_COMMAND } from './recovery.ts'
import type { Runs } from './runs.ts'
import { tellModel } from './settle-open.ts'

interface How {
  reason: string
  outcome: 'unknown' | 'not-started'
  actor: string
}

/** gives up an attempt that is reserved. Calls nothing and tries nothing again; where nobody knows whether it ran, whoever
 *  goes on with its run tells the model so. Throws `conflict` where it is settled. */
export function abandon(
  attempt: Attempt,
  { reason, outcome, actor }: How,
  house: { log: EventLog; runs: Runs; attempts: Attempts },
): Attempt {
  const { log, runs, attempts } = house
  const claim = { run: attempt.run as RunId, fence: runs.get(attempt.run).fence }
  return runs.fenced(claim, () => {
    const found = attempts.get(attempt.id)
    if (found.status !== 'reserved') throw new AttemptSettled(found)
    attempts.settle(claim, found.id, { status: 'abandoned', outcome })
    if (outcome === 'unknown') tellModel(log, found, UNKNOWN_COMMAND, actor)
    const [kind, approval = null] = found.subject.split(':')
    log.append(`run:${found.run}`, 'operation.execution', {
      status: 'abandoned',
      executorInvoked: false,
      outcome,
      actor,
      reason,
      approval: kind === 'approval' ? approval : null,
      attempt: found.id,
    })
    return attempts.get(found.id)
  })
}
