// What the events of a run tell about it as a whole: what it was given, which of its loops ended and how.
import type { Event } from '../kernel/event.ts'
import type { JsonObject } from '../kernel/json.ts'
import type { KeptText } from '../kernel/kept-text.ts'
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

/** What a run was asked for when it was made, and what holds of it now: whoever went on with it may have said something else. */
export function givenOf(events: readonly Event[]): { first: JsonObject; now: JsonObject } | null {
  const given = events.flatMap(({ data }) => (data['given'] === undefined ? [] : [data['given'] as JsonObject]))
  const [first, now] = [given[0], given.at(-1)]
  return first && now ? { first, now } : null
}

/** What was said to the run since its newest loop began, and no loop has heard yet. */
export function unheard(events: readonly Event[]): KeptText[] {
  const begun = events.findLastIndex(({ type }) => type === 'loop.started')
  return events.slice(begun + 1).flatMap(({ data, type }) => (type === 'run.claimed' && data['prompt'] ? [data['prompt'] as KeptText] : []))
}

/** How many files a person has put back since the last loop began. */
export function putBack(events: readonly Event[]): number {
  const begun = events.findLastIndex(({ type }) => type === 'loop.started')
  return events.slice(begun + 1).reduce((sum, { type, data }) => sum + (type === 'run.undone' ? Number(data['changes']) : 0), 0)
}

/** Which loop of its prompt it is, from its `loop.started`: the first one begins with the prompt, the others mend what a proof found. */
export function roundOf({ loop, round }: JsonObject): number {
  return Number(round ?? loop)
}

/** How many loops had worked on what was said before the newest prompt. */
export function loopsBeforePrompt(events: readonly Event[]): number {
  const begun = events.findLast(({ type }) => type === 'loop.started')
  return begun ? Number(begun.data['loop']) - roundOf(begun.data) : 0
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
