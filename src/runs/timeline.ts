import * as z from 'zod'
import type { Event } from '../kernel/event.ts'
import type { JsonObject } from '../kernel/json.ts'

const REFS = ['decision', 'approval', 'attempt', 'checkpoint', 'observation', 'artifact', 'proof'] as const

/** what happened in a run, as a reader of its timeline knows it. */
export const TimelineEvent = () =>
  z.strictObject({
    seq: z.int(),
    at: z.string(),
    /** As the log has it. */
    type: z.string(),
    kind: z.string(),
    actor: z.string(),
    data: z.record(z.string(), z.json()),
    refs: z.partialRecord(z.enum(REFS), z.union([z.string(), z.int()])),
  })
type TimelineEvent = z.infer<ReturnType<typeof TimelineEvent>>

/** Kinds that are not the type with its dot as a hyphen. */
const KINDS: Readonly<Record<string, (data: JsonObject) => string[]>> = {
  'call.requested': () => ['tool-call-requested'],
  'call.decided': () => ['permission-decision'],
  'call.reserved': () => ['attempt-reserved'],
  'call.settled': ({ attempt, ok }) => [
    ...(attempt === null ? [] : ['attempt-settled']),
    ok === true ? 'tool-call-completed' : 'tool-call-failed',
  ],
  'turn.requested': () => ['turn-started'],
  'turn.received': () => ['turn-stopped'],
  'turn.failed': () => ['turn-stopped'],
}

/** One event of the log as the timeline shows it: once for each kind that it is. */
export function timelineOf({ seq, at, type, data }: Event): TimelineEvent[] {
  const kinds = KINDS[type]?.(data) ?? [type.replaceAll('.', '-')]
  const shown = { seq, at, type, actor: actorOf(data), data, refs: refsOf({ seq, type, data }) }
  return kinds.map(kind => ({ ...shown, kind }))
}

const ACTOR = /^(?:(?:person|agent):|engine$|recovery$|system$)/

/** What nobody else is named for, the engine did. */
function actorOf({ actor, by }: JsonObject): string {
  return ([actor, by].find(named => typeof named === 'string' && ACTOR.test(named)) as string | undefined) ?? 'engine'
}

function refsOf({ seq, type, data }: Pick<Event, 'seq' | 'type' | 'data'>): TimelineEvent['refs'] {
  const known: JsonObject = type === 'checkpoint.saved' ? { checkpoint: seq } : type === 'call.decided' ? { ...data, decision: seq } : data
  return Object.fromEntries(REFS.flatMap(ref => (isRef(known[ref]) ? [[ref, known[ref]]] : [])))
}

function isRef(value: unknown): value is string | number {
  return typeof value === 'string' || Number.isInteger(value)
}
