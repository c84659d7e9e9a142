import { textsIn } from './copies.ts'
import type { Database } from './database.ts'

/** One call from a program, as it was answered. Input and output are redacted and cut before they come here. */
export interface CallRecord {
  at: string
  surface: string
  connection: string
  client: string | null
  method: string
  request: string | null
  input: string
  output: string | null
  error: string | null
  duration_ms: number
}

export const MOST_RECORDED_CHARACTERS = 4096
const KEPT = 10_000

/** Keeps the newest calls; older ones go, a batch at a time. */
export function recordCall(db: Database, call: CallRecord): void {
  db.transaction(() => {
    db.run(
      'INSERT INTO calls (at, surface, connection, client, method, request, input, output, error, duration_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      call.at,
      call.surface,
      call.connection,
      call.client,
      call.method,
      call.request,
      call.input,
      call.output,
      call.error,
      call.duration_ms,
    )
    const newest = db.get<{ id: number }>('SELECT max(id) AS id FROM calls')?.id ?? 0
    if (newest % 100 === 0) db.run('DELETE FROM calls WHERE id <= ?', newest - KEPT)
  })
}

export function listCalls(db: Database, page: { before?: number | undefined; limit: number }): (CallRecord & { id: number })[] {
  return db.all<CallRecord & { id: number }>(
    'SELECT * FROM calls WHERE id < ? ORDER BY id DESC LIMIT ?',
    page.before ?? Number.MAX_SAFE_INTEGER,
    page.limit,
  )
}

const LEAST_LEAF = 6

/** Empties every recorded call that holds a text of this data, and names those calls. */
export function scrubCalls(db: Database, data: unknown): number[] {
  const scrubbed = new Set<number>()
  for (const text of textsIn(data, LEAST_LEAF)) {
    // As it stands inside recorded JSON; a record is cut, so its beginning is enough.
    const written = JSON.stringify(text).slice(1, -1)
    const rows = db.all<{ id: number }>('SELECT id FROM calls WHERE instr(input, ?1) OR instr(output, ?1) OR instr(error, ?1)', written)
    for (const { id } of rows) scrubbed.add(id)
  }
  for (const id of scrubbed) db.run("UPDATE calls SET input = '[redacted]', output = NULL, error = NULL WHERE id = ?", id)
  return [...scrubbed].sort((a, b) => a - b)
}
