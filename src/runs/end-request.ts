// who ends a run from outside asks its driver to, so that it ends in good order: commands first, then what is open, then the
// last snapshot, and the status at the end. Only where nobody drives it, or the driver does not hear, is it taken over.
import type { EventLog } from '../store/event-log.ts'

const TYPE = 'abort.requested'

export function askToEnd(log: EventLog, run: string, asked: { reason: string; actor: string }): void {
  log.append(`run:${run}`, TYPE, { ...asked })
}

/** Looks for a request made from here on; gives why. To be made before the run is claimed, so that none is missed. One look costs
 *  what was written since the last one. */
export function endRequests(log: EventLog, run: string): () => string | null {
  let after = log.head()?.seq ?? 0
  return () => {
    const seen = log.head()?.seq ?? after
    const asked = log.last({ streams: [`run:${run}`], types: [TYPE], after })
    after = seen
    return asked ? (asked.data['reason'] as string) : null
  }
}
