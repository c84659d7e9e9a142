import { type Clock, timestamp } from '../kernel/clock.ts'
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
  let last = after
  let isBehind = true
  const catchUp = (): void => {
    if (!isBehind) return
    isBehind = false
    for (const { seq, at, type, data } of log.list({ streams: [`run:${run}`], after: last }, 10_000)) {
      last = seq
      send({ seq, at, type, data })
    }
  }
  // Transactions are synchronous, so by then it is known whether what was appended stays; and a turn writes several at once.
  const stop = log.hear(({ stream, type }) => {
    if (stream !== `run:${run}`) return
    if (isQuestion(type)) queueMicrotask(catchUp)
    else if (!isBehind) setImmediate(catchUp)
    isBehind = true
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
