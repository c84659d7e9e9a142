import { type Clock, timestamp } from '../kernel/clock.ts'
import type { Event } from '../kernel/event.ts'
import type { JsonObject } from '../kernel/json.ts'
import type { EventLog } from '../store/event-log.ts'

/** One event of a run as surfaces send it: a stored one has its `seq`, what only passes by has none. */
export interface RunEvent {
  seq?: number
  at: string
  type: string
  data: JsonObject
}

export interface Following {
  /** Sends something that passes by, after everything that was stored before it. */
  tell: (type: string, data: JsonObject) => void
  /** Sends the rest and stops. */
  end: () => void
}

interface FollowOptions {
  log: EventLog
  clock: Clock
  run: string
  /** Only events with a greater `seq`. */
  after: number
  send: (event: RunEvent) => void
}

/** L-35: the stored events of a run and what passes by between them, in the order in which it happened, each once. */
export function followRun({ log, clock, run, after, send }: FollowOptions): Following {
  const own = `run:${run}`
  let last = after
  let newest = 0
  let heard: Event[] = []
  /** Whether the log may hold something that was not heard: what was there before, or what another process wrote. */
  let isBehind = true
  let isDue = true
  const catchUp = (): void => {
    const events = isBehind ? log.list({ streams: [own], after: last }, 10_000) : heard
    heard = []
    isBehind = false
    isDue = false
    for (const { seq, at, type, data } of events) {
      last = seq
      send({ seq, at, type, data })
    }
  }
  const stop = log.hear(event => {
    if (event.seq !== newest + 1) isBehind = true
    newest = event.seq
    if (event.stream !== own) return
    heard.push(event)
    // A turn writes several at once.
    if (isQuestion(event.type)) queueMicrotask(catchUp)
    else if (!isDue) setImmediate(catchUp)
    isDue = true
  })
  setImmediate(catchUp)
  return {
    tell: (type, data) => {
      catchUp()
      send({ at: timestamp(clock), type, data })
    },
    end: () => {
      stop()
      catchUp()
    },
  }
}

/** A person is about to be asked: what came before it must stand on the screen. */
function isQuestion(type: string): boolean {
  return type === 'approval.requested' || type === 'question.asked'
}
