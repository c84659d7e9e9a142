import type { Database } from './database.ts'

// Where else the data of an event stands: what is taken out in one place must not stay in another unseen.

/** The beginnings of all texts in a value that are at least so long. */
export function textsIn(value: unknown, least: number): string[] {
  if (typeof value === 'string') return value.length >= least ? [value.slice(0, 200)] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(part => textsIn(part, least)) : []
}

/** Digests of the long texts that the data of an event refers to. */
export function blobsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const named = 'blob' in value && typeof value.blob === 'string' ? [value.blob] : []
  return [...new Set([...named, ...Object.values(value).flatMap(blobsIn)])]
}

/** Shorter texts are words that many events share; digests and ids tell nothing. */
const LEAST_TEXT = 24
const NAME = /^[\w:.-]+$/

/** Other events of the stream in which a text of this data stands too. */
export function eventsWithTextOf(db: Database, { seq, stream }: { seq: number; stream: string }, data: unknown): number[] {
  const texts = textsIn(data, LEAST_TEXT).filter(text => !NAME.test(text))
  const found = texts.flatMap(text =>
    db
      .all<{ seq: number }>(
        'SELECT seq FROM events WHERE stream = ? AND seq <> ? AND instr(data, ?)',
        stream,
        seq,
        JSON.stringify(text).slice(1, -1),
      )
      .map(row => row.seq),
  )
  return [...new Set(found)].sort((a, b) => a - b)
}
