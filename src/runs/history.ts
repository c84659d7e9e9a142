// What the events of a run tell about it as a whole: what it was given, which of its loops ended and how.
import type { Event } from '../kernel/event.ts'
import type { JsonObject } from '../kernel/json.ts'
import type { EventLog } from '../store/event-log.ts'

/** A run that writes more has long used up every budget. */
const MOST_EVENTS = 1_000_000

/** Every event of a run, or those of some types, in order. For its beginning and its end, never for a turn: it grows with the run. */
export function eventsOf(log: EventLog, run: string, types?: string[]): Event[] {
  return log.list({ streams: [`run:${run}`], types }, MOST_EVENTS)
}

/** What was saved of a run, without what it holds. */
export function checkpointsOf(log: EventLog, run: string): { seq: number; at: string; label: string; loop: number; turn: number }[] {
  return eventsOf(log, run, ['checkpoint.saved']).map(({ seq, at, data }) => ({
    seq,
    at,
    label: data['label'] as string,
    loop: Number(data['loop']),
    turn: Number(data['turn']),
  }))
}

/** Whether the newest loop was broken off, so that it can go on. */
export function hasOpenLoop(events: readonly Event[]): boolean {
  return events.findLast(({ type }) => type.startsWith('loop.'))?.type === 'loop.started'
}

/** How a loop had ended, as its last event has it. */
export function endedLoops<Outcome>(events: readonly Event[]): Outcome[] {
  return events.filter(({ type }) => type === 'loop.stopped').map(({ data }) => data['outcome'] as unknown as Outcome)
}

export function hasStarted(events: readonly Event[]): boolean {
  return events.some(({ type }) => type === 'run.started')
}

export function givenOf(events: readonly Event[]): JsonObject | null {
  return (events.find(({ type }) => type === 'run.queued')?.data['given'] as JsonObject | undefined) ?? null
}

/** The process that last drove the run, before the one whose claim has this fence. */
export function lastDriver(events: readonly Event[], fence: number): number | null {
  const claimed = events.findLast(({ type, data }) => type === 'run.claimed' && Number(data['fence']) < fence)
  const owner = claimed?.data['owner'] as { pid: number } | undefined
  return owner?.pid ?? null
}

/** Calls that the last process began and left without a result: whoever goes on carries them out anew. */
export function openCalls(events: readonly Event[]): string[] {
  const since = events.findLastIndex(({ type }) => ['turn.received', 'run.resumed', 'run.started'].includes(type))
  const newest = events.slice(since + 1)
  const settled = new Set(newest.filter(({ type }) => type === 'call.settled').map(({ data }) => data['call']))
  return newest.flatMap(({ type, data }) =>
    type === 'call.requested' && !settled.has(data['call'] ?? null) ? [data['call'] as string] : [],
  )
}
