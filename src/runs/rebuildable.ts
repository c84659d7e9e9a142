import { NotFound } from '../kernel/errors.ts'
import { type Event, isTakenOut } from '../kernel/event.ts'
import type { Blobs } from '../store/blobs.ts'
import { rebuildLoop } from './rebuild.ts'

/** Events without which nobody knows what a run was asked for, or what its model had seen. */
const NEEDED = new Set([
  'run.queued',
  'run.claimed',
  'run.started',
  'loop.started',
  'loop.stopped',
  'turn.requested',
  'turn.received',
  'call.requested',
  'call.settled',
  'checkpoint.saved',
  'summary.received',
])

/** why a run cannot be rebuilt from its log, because a person has taken something out of it since; null where it can. */
export function whyNotRebuilt(events: readonly Event[], blobs: Pick<Blobs, 'read'>): string | null {
  const takenOut = events.filter(isTakenOut)
  const gone = takenOut.find(({ type }) => NEEDED.has(type))
  if (gone) return `event ${gone.seq} (${gone.type}) was taken out of its log`
  // A long text that was taken out with one event may be meant by another.
  try {
    if (takenOut.length > 0) rebuildLoop(events, blobs)
    return null
  } catch (error) {
    if (error instanceof NotFound) return 'a long text of it was taken out with another event'
    throw error
  }
}
