import { join } from 'node:path'
import * as z from 'zod'
import { Event } from '../kernel/event.ts'
import type { JsonObject } from '../kernel/json.ts'
import { createBlobs } from '../store/blobs.ts'
import { scrubCalls } from '../store/call-record.ts'
import { blobsIn, eventsWithTextOf } from '../store/copies.ts'
import { emptyJournal, listBackups } from '../store/maintenance.ts'
import { tailEvents } from '../store/tail.ts'
import { verifyChain } from '../store/verify-chain.ts'
import { fitRecord } from './fit-record.ts'
import { operation } from './operation.ts'
import type { Paint } from './paint.ts'

const name = z.string().min(1).max(200)
const after = z.int().nonnegative().optional().describe('Only events with a greater seq')
const Head = () => z.strictObject({ seq: z.int(), hash: z.string() })

const list = operation({
  name: 'events.list',
  summary: 'Events of the log, oldest first',
  when: 'Use to find out what happened in this project, when and in which order; page on with after.',
  effect: 'read',
  mcp: 'full',
  exitCodes: [3],
  input: z.strictObject({
    stream: name.optional().describe('Only this stream; * matches anything, as in run:*'),
    type: name.optional().describe('Only events of this type'),
    after,
    limit: z.int().min(1).max(1000).default(100).describe('Most events to return'),
  }),
  output: () => z.strictObject({ items: z.array(Event()), next: z.int().optional() }),
  examples: ['events list', 'events list --stream project --limit 20', 'events list --after 100 --json'],
  run: async (app, { stream, type, after, limit }) => {
    const { log } = await app.projectStore()
    // One more than asked for tells whether there is a next page.
    const found = log.list(
      { streams: stream === undefined ? undefined : [stream], types: type === undefined ? undefined : [type], after },
      limit + 1,
    )
    const items = found.slice(0, limit)
    const last = items.at(-1)
    return found.length > limit && last ? { items, next: last.seq } : { items }
  },
  human: ({ items, next }, paint) =>
    [
      ...(items.length === 0 ? [paint.dim('No events match.')] : items.map(event => eventLine(event, paint))),
      ...(next === undefined ? [] : [paint.dim(`More: qed events list --after ${next}`)]),
    ].join('\n'),
})

const tail = operation({
  name: 'events.tail',
  summary: 'Follow the log live, across all processes',
  effect: 'read',
  streams: true,
  long: true,
  mcp: 'never',
  exitCodes: [3, 130],
  input: z.strictObject({
    streams: z.array(name).min(1).max(100).optional().describe('Only these streams; * matches anything, as in run:*'),
    types: z.array(name).min(1).max(100).optional().describe('Only events of these types'),
    after,
    limit: z.int().positive().optional().describe('Stop after so many events'),
    wait_ms: z.int().nonnegative().max(2_147_483_647).optional().describe('Stop after so long; without it, only when interrupted'),
  }),
  output: () => z.strictObject({ count: z.int(), next: z.int() }),
  examples: ['events tail', 'events tail --after 0 --limit 10 --stream', 'events tail --wait-ms 5000'],
  run: async (app, { streams, types, limit, wait_ms, ...from }, call) => {
    const { log } = await app.projectStore()
    const after = from.after ?? log.head()?.seq ?? 0
    const done = new AbortController()
    const signals = [call.signal, done.signal, ...(wait_ms === undefined ? [] : [AbortSignal.timeout(wait_ms)])]
    let seen = { count: 0, next: after }
    for await (const event of tailEvents(log, { streams, types, after }, AbortSignal.any(signals))) {
      await call.emit?.(event)
      seen = { count: seen.count + 1, next: event.seq }
      if (seen.count === limit) done.abort()
    }
    return seen
  },
  human: ({ count, next }, paint) => paint.dim(`${count} events, up to ${next}.`),
  view: paint => ({ take: event => ({ print: eventLine(event as Event, paint) }) }),
})

const verify = operation({
  name: 'events.verify',
  summary: 'Check the hash chain of the log and name the first broken link',
  when: 'Use before trusting the log as evidence, or when doctor or an error names a broken link.',
  effect: 'read',
  long: true,
  mcp: 'full',
  exitCodes: [3],
  input: z.strictObject({}),
  output: () =>
    z.strictObject({
      ok: z.boolean(),
      count: z.int(),
      head: Head().nullable(),
      broken: z.strictObject({ seq: z.int(), reason: z.string() }).optional(),
    }),
  examples: ['events verify', 'events verify --json'],
  failed: ({ ok }) => !ok,
  run: async app => verifyChain((await app.projectStore()).log.rows()),
  human: ({ ok, count, head, broken }, paint) =>
    ok
      ? `${paint.good(`${paint.glyph.ok} valid`)}  ${count} events${head ? `, head ${head.seq} ${paint.dim(head.hash.slice(0, 16))}` : ''}`
      : `${paint.bad(`${paint.glyph.fail} broken`)}  at event ${broken?.seq}: ${broken?.reason}\n${paint.dim('Keep the file; restore a backup with: qed store restore <file>')}`,
})

const redact = operation({
  name: 'events.redact',
  summary: 'Take the data of one event out for good; the chain stays valid',
  effect: 'write',
  personOnly: true,
  destructive: true,
  mcp: 'never',
  exitCodes: [3, 4, 8],
  positional: ['seq'],
  input: z.strictObject({
    seq: z.int().positive().describe('Number of the event'),
    reason: z.string().min(1).max(500).describe('Why; kept in the log'),
  }),
  output: () =>
    z.strictObject({
      event: Event(),
      changed: z.array(z.strictObject({ kind: z.enum(['event', 'call', 'blob']), ref: z.string() })),
      also_in: z.array(z.int()).describe('Other events of the same stream in which a text of it stands; each is redacted by itself'),
      erased: z.boolean().describe('Whether the old bytes are gone from the disk already'),
      backups: z.array(z.string()).describe('Backups that may still hold the data'),
    }),
  examples: ['events redact 42 --reason "customer name in output"'],
  confirm: ({ seq }) => `Take the data of event ${seq} out for good? This cannot be undone.`,
  run: async (app, input, call) => {
    const { log, db } = await app.projectStore()
    const { folder } = app.project()
    const { drop } = createBlobs(join(folder, 'blobs'))
    let held: JsonObject = {}
    let calls: number[] = []
    let blobs: string[] = []
    const event = log.redact({ ...input, by: `${call.caller.role}:${call.caller.surface}` }, data => {
      held = data
      calls = scrubCalls(db, data)
      // Before the record of it can stand: one that says so although the text is still there would be worse than none.
      blobs = blobsIn(data).filter(drop)
    })
    const changed = [
      { kind: 'event' as const, ref: String(event.seq) },
      ...calls.map(id => ({ kind: 'call' as const, ref: String(id) })),
      ...blobs.map(ref => ({ kind: 'blob' as const, ref })),
    ]
    return { event, changed, also_in: eventsWithTextOf(db, event, held), erased: emptyJournal(db), backups: listBackups(folder) }
  },
  human: ({ event, changed, also_in, erased, backups }, paint) =>
    [
      `${paint.good(`${paint.glyph.ok} redacted`)}  event ${event.seq} (${changed.length} places changed)`,
      ...(also_in.length === 0
        ? []
        : [paint.careful(`A text of it also stands in ${numbersOf(also_in)}; take those out in the same way.`)]),
      ...(erased ? [] : [paint.careful('Another process still reads the old bytes; run qed store compact when it has ended.')]),
      ...backups.map(path => paint.dim(`May still hold it: ${path}`)),
    ].join('\n'),
})

const MOST_NUMBERS = 20

function numbersOf(seqs: readonly number[]): string {
  const more = seqs.length - MOST_NUMBERS
  return `${seqs.length === 1 ? 'event' : 'events'} ${seqs.slice(0, MOST_NUMBERS).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

export const operations = [list, tail, verify, redact] as const

function eventLine(event: Event, paint: Paint): string {
  const pieces = [
    { text: String(event.seq).padStart(6), paint: paint.dim },
    { text: event.at.slice(11, 23), paint: paint.dim },
    { text: event.type, paint: paint.accent },
    { text: event.stream, paint: paint.dim },
  ]
  return fitRecord(pieces, JSON.stringify(event.data), paint.width)
}
