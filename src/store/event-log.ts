import * as z from 'zod'
import { type Clock, timestamp } from '../kernel/clock.ts'
import { Conflict, InvalidInput, NotFound, TooLarge } from '../kernel/errors.ts'
import { type Event, type EventCatalogue, type EventTypes, streamKind } from '../kernel/event.ts'
import { canonicalJson, type JsonObject } from '../kernel/json.ts'
import { sha256 } from '../kernel/sha256.ts'
import type { Database, SqlValue } from './database.ts'
import { EventUnknown } from './errors.ts'

// The log: redact → check against the stream's closed union → link to the newest event → write, all in one transaction.
// A caller that changes state does so in the same transaction (Database.transaction joins), so neither stands without the other.

export interface EventFilter {
  /** Names of streams; `*` matches anything. */
  streams?: string[] | undefined
  types?: string[] | undefined
  /** Only events with a greater `seq`. */
  after?: number | undefined
}

export interface EventLogOptions {
  clock: Clock
  /** Takes secrets out before anything is written. */
  redact: (data: JsonObject) => JsonObject
  catalogue: EventCatalogue
  /** Told of each event that this process wrote, in order, once it stands. Must neither throw nor wait. */
  heard?: (event: Event) => void
}

export interface EventRow {
  seq: number
  stream: string
  type: string
  at: string
  data: string
  prev: string
  hash: string
}

export const GENESIS = '0'.repeat(64)
const MOST_DATA_BYTES = 1 << 20
const COLUMNS = 'seq, stream, type, at, data, prev, hash'
const STREAM_NAME = /^[a-z][a-z0-9-]*(:[\x21-\x7e]{1,128})?$/

/** Events of the log itself. */
const logEvents: EventTypes = {
  'events.redacted': () => z.strictObject({ seq: z.int().positive(), sha256: z.string(), reason: z.string(), by: z.string() }),
}

export class EventLog {
  readonly #db: Database
  readonly #options: EventLogOptions
  readonly #shapes = new Map<string, z.ZodObject>()
  readonly #hearers = new Set<(event: Event) => void>()

  constructor(db: Database, options: EventLogOptions) {
    this.#db = db
    this.#options = { ...options, catalogue: { ...options.catalogue, log: logEvents } }
    if (options.heard) this.#hearers.add(options.heard)
  }

  /** Appends one event. Throws `invalid_input` on a stream or type that is not in the catalogue, or on data that does not fit. */
  append(stream: string, type: string, data: JsonObject): Event {
    const redacted = this.#checked(stream, type, this.#options.redact(data))
    const text = canonicalJson(redacted)
    if (text.length > MOST_DATA_BYTES) throw new TooLarge(`The data of ${type}`, { bytes: text.length, most: MOST_DATA_BYTES })
    const at = timestamp(this.#options.clock)
    const event = this.#db.transaction(() => {
      const head = this.head()
      const seq = (head?.seq ?? 0) + 1
      const prev = head?.hash ?? GENESIS
      const link = linkHash({ seq, stream, type, at, prev }, sha256(text))
      this.#db.run(`INSERT INTO events (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`, seq, stream, type, at, text, prev, link)
      return { seq, stream, type, at, data: redacted, prev, hash: link }
    })
    this.#db.afterCommit(() => {
      for (const hear of this.#hearers) hear(event)
    })
    return event
  }

  /** Tells of each event on the terms of `heard`. Gives what ends it. */
  hear(heard: (event: Event) => void): () => void {
    this.#hearers.add(heard)
    return () => void this.#hearers.delete(heard)
  }

  head(): { seq: number; hash: string } | null {
    return this.#db.get<{ seq: number; hash: string }>('SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1') ?? null
  }

  /** At most `limit` events in order. */
  list(filter: EventFilter, limit: number): Event[] {
    const { where, values } = conditions(filter)
    return this.#db.all<EventRow>(`SELECT ${COLUMNS} FROM events WHERE ${where} ORDER BY seq LIMIT ?`, ...values, limit).map(toEvent)
  }

  /** The newest event that fits. */
  last(filter: EventFilter): Event | null {
    const { where, values } = conditions(filter)
    const row = this.#db.get<EventRow>(`SELECT ${COLUMNS} FROM events WHERE ${where} ORDER BY seq DESC LIMIT 1`, ...values)
    return row ? toEvent(row) : null
  }

  rows(): Generator<EventRow> {
    return this.#db.each<EventRow>(`SELECT ${COLUMNS} FROM events ORDER BY seq`)
  }

  /** Takes the data of one event out for good. The chain stays valid because a link covers the data's digest only. `alsoIn`
   *  cleans copies of that data in the same transaction. */
  redact(target: { seq: number; reason: string; by: string }, alsoIn: (data: JsonObject) => void = () => undefined): Event {
    // Freed bytes are overwritten.
    this.#db.exec('PRAGMA secure_delete = ON')
    return this.#db.transaction(() => {
      const row = this.#db.get<EventRow>(`SELECT ${COLUMNS} FROM events WHERE seq = ?`, target.seq)
      if (!row)
        throw new NotFound(`There is no event ${target.seq}.`, {
          next: { command: 'qed events list', why: 'It shows which events there are.' },
        })
      if (redactedDigest(row.data)) throw new Conflict(`Event ${target.seq} is redacted already.`)
      if (row.type === 'events.redacted') throw new Conflict(`Event ${target.seq} is the record of a redaction, which the chain needs.`)
      const digest = sha256(row.data)
      const data = { redacted: true, sha256: digest }
      this.#db.run('UPDATE events SET data = ? WHERE seq = ?', canonicalJson(data), target.seq)
      alsoIn(JSON.parse(row.data) as JsonObject)
      this.append('log', 'events.redacted', { seq: target.seq, sha256: digest, reason: target.reason, by: target.by })
      return { ...row, data }
    })
  }

  #checked(stream: string, type: string, data: JsonObject): JsonObject {
    const parsed = this.#shape(stream, type).safeParse(data)
    if (parsed.success) return parsed.data as JsonObject
    const issues = parsed.error.issues.map(({ path, message }) => ({ path: path.map(part => `/${String(part)}`).join(''), message }))
    throw new InvalidInput(`Data of ${type}`, issues)
  }

  #shape(stream: string, type: string): z.ZodObject {
    const kind = streamKind(stream)
    const known = this.#shapes.get(`${kind} ${type}`)
    if (known && STREAM_NAME.test(stream)) return known
    const { catalogue } = this.#options
    const types = STREAM_NAME.test(stream) && Object.hasOwn(catalogue, kind) ? catalogue[kind] : undefined
    const shape = types && Object.hasOwn(types, type) ? types[type]?.() : undefined
    if (!shape) throw new EventUnknown(stream, type, Object.keys(types ?? {}))
    this.#shapes.set(`${kind} ${type}`, shape)
    return shape
  }
}

/** The digest that a redacted event left behind, or null for an ordinary one. */
export function redactedDigest(data: string): string | null {
  return /^\{"redacted":true,"sha256":"([0-9a-f]{64})"\}$/.exec(data)?.[1] ?? null
}

export function linkHash(link: Omit<EventRow, 'data' | 'hash'>, dataDigest: string): string {
  return sha256(`${link.prev}\n${link.seq}\n${link.stream}\n${link.type}\n${link.at}\n${dataDigest}`)
}

function toEvent(row: EventRow): Event {
  return { ...row, data: JSON.parse(row.data) }
}

function conditions(filter: EventFilter): { where: string; values: SqlValue[] } {
  const parts = ['seq > ?']
  const values: SqlValue[] = [filter.after ?? 0]
  const oneOf = (test: string, wanted: string[] | undefined, spelled = (name: string) => name): void => {
    if (wanted === undefined) return
    parts.push(`(${wanted.map(() => test).join(' OR ')})`)
    values.push(...wanted.map(spelled))
  }
  oneOf('stream GLOB ?', filter.streams, name => name.replace(/[[?]/g, '[$&]'))
  oneOf('type = ?', filter.types)
  return { where: parts.join(' AND '), values }
}
