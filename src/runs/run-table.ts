import { type Clock, timestamp } from '../kernel/clock.ts'
import type { Database } from '../store/database.ts'
import { RunUnknown } from './errors.ts'
import type { Outcome, RunStatus } from './lifecycle.ts'
import type { Run } from './run.ts'

export interface RunFilter {
  status?: RunStatus | undefined
  outcome?: Outcome | undefined
  since?: string | undefined
  limit: number
  offset?: number | undefined
}

/** Runs as rows. What is looked for has a column of its own; the rest is one record. */
export interface RunTable {
  /** By id or alias; throws `not_found`. */
  read: (id: string) => { run: Run; leaseUntil: number }
  insert: (run: Run) => void
  write: (run: Run, leaseUntil: number) => Run
  /** Changes something of it; who drives it and until when stays. */
  change: (run: Run, to: Partial<Pick<Run, 'status' | 'isolation'>>) => void
  renew: (id: string, leaseUntil: number) => void
  /** The newest fence there is; one cheap read. */
  fenceOf: (id: string) => number
  /** Newest first. */
  list: (filter: RunFilter) => Run[]
}

export function createRunTable(db: Database, clock: Clock): RunTable {
  return {
    read: id => {
      const row = db.get<{ record: string; lease_until: number }>('SELECT record, lease_until FROM runs WHERE id = ? OR alias = ?', id, id)
      if (!row) throw new RunUnknown(id)
      return { run: JSON.parse(row.record) as Run, leaseUntil: row.lease_until }
    },
    insert: run =>
      void db.run(
        'INSERT INTO runs (id, alias, record, status, fence, owner, lease_until, created_at, updated_at) VALUES (?, ?, ?, ?, 0, NULL, 0, ?, ?)',
        run.id,
        run.alias,
        JSON.stringify(run),
        run.status,
        run.created_at,
        run.updated_at,
      ),
    write: (run, leaseUntil) => {
      const next = { ...run, updated_at: timestamp(clock) }
      db.run(
        'UPDATE runs SET record = ?, status = ?, fence = ?, owner = ?, lease_until = ?, updated_at = ? WHERE id = ?',
        JSON.stringify(next),
        next.status,
        next.fence,
        next.owner && JSON.stringify(next.owner),
        leaseUntil,
        next.updated_at,
        next.id,
      )
      return next
    },
    change: (run, to) => {
      const next = { ...run, ...to, updated_at: timestamp(clock) }
      db.run(
        'UPDATE runs SET record = ?, status = ?, updated_at = ? WHERE id = ?',
        JSON.stringify(next),
        next.status,
        next.updated_at,
        run.id,
      )
    },
    fenceOf: id => db.get<{ fence: number }>('SELECT fence FROM runs WHERE id = ?', id)?.fence ?? -1,
    renew: (id, leaseUntil) => void db.run('UPDATE runs SET lease_until = ? WHERE id = ?', leaseUntil, id),
    list: ({ status = null, outcome = null, since = null, limit, offset = 0 }) =>
      db
        .all<{ record: string }>(
          `SELECT record FROM runs WHERE (? IS NULL OR status = ?) AND (? IS NULL OR record ->> 'outcome' = ?) AND (? IS NULL OR created_at >= ?)
           ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`,
          status,
          status,
          outcome,
          outcome,
          since,
          since,
          limit,
          offset,
        )
        .map(({ record }) => JSON.parse(record) as Run),
  }
}
