import { setTimeout as sleep } from 'node:timers/promises'
import type { Event } from '../../kernel/event.ts'

/** Hears every event that is written, and never keeps anyone waiting but at the end, and then for a moment only. */
export interface Telemetry {
  hear: (event: Event) => void
  close: () => Promise<void>
}

/** What events are told to once it is known that somebody wants them. */
export interface Follower {
  hear: (event: Event) => void
  close: () => Promise<void>
}

const CLOSE_MS = 2_000
const WATCHED = /^(run|proof):/
const ENDS = /\.(received|failed|settled|stopped|interrupted)$/

/** `load` is called when something of a run or proof has come to its end, and answers null where nothing is to be sent: until then
 *  nothing is read or loaded for it, so that no first request waits for it. Events that come meanwhile wait. */
export function createTelemetry(load: () => Promise<Follower | null>): Telemetry {
  let waiting: Event[] | null = []
  let loading: Promise<Follower | null> | null = null
  let follower: Follower | null = null
  const start = async (): Promise<Follower | null> => {
    follower = await load().catch(() => null)
    for (const event of waiting ?? []) tell(event)
    waiting = null
    return follower
  }
  // Whatever goes wrong here is no reason for a run to fail.
  const tell = (event: Event): void => {
    try {
      follower?.hear(event)
    } catch {
      follower = null
    }
  }
  return {
    hear: event => {
      if (!WATCHED.test(event.stream)) return
      if (waiting === null) return tell(event)
      waiting.push(event)
      if (ENDS.test(event.type)) loading ??= start()
    },
    close: async () => {
      if (waiting !== null && waiting.length > 0) loading ??= start()
      const ending = loading?.then(loaded => loaded?.close()).catch(() => undefined)
      await Promise.race([ending, sleep(CLOSE_MS, undefined, { ref: false })])
    },
  }
}
