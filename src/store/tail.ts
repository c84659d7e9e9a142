import { setTimeout as sleep } from 'node:timers/promises'
import type { Event } from '../kernel/event.ts'
import type { EventFilter, EventLog } from './event-log.ts'

const BATCH = 500
// A look at the end of an index: some 20 µs, whoever wrote. SQLite has no way to be told across processes.
const LOOK_AGAIN_MS = 100

/** Events after `filter.after` and then every new one as any process appends it, in order, each once. Ends on abort. */
export async function* tailEvents(log: EventLog, filter: EventFilter, signal: AbortSignal): AsyncGenerator<Event> {
  let after = filter.after ?? 0
  while (!signal.aborted) {
    const head = log.head()?.seq ?? 0
    const events = log.list({ ...filter, after }, BATCH)
    for (const event of events) {
      yield event
      after = event.seq
    }
    if (events.length === BATCH) continue
    // Whatever stands before the head that was seen first has been looked at and did not fit.
    after = Math.max(after, head)
    await pause(signal)
  }
}

async function pause(signal: AbortSignal): Promise<void> {
  await sleep(LOOK_AGAIN_MS, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}
