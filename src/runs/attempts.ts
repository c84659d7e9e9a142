import { type Clock, timestamp } from '../kernel/clock.ts'
import { QedError } from '../kernel/errors.ts'
import type { Json } from '../kernel/json.ts'
import { newId } from '../kernel/new-id.ts'
import type { Database } from '../store/database.ts'
import type { Attempt } from './attempt.ts'
import { AttemptUnknown } from './errors.ts'
import type { Claim, Runs } from './runs.ts'

class AttemptActive extends QedError {
  readonly code = 'conflict'
  constructor(run: string) {
    super(`The same operation of the run ${run} is under way already.`, { details: { run, reason_code: 'active-reserved' } })
  }
}

/** As SQLite has it. */
const NO_LIMIT = -1

export interface Attempts {
  /** Before an effect, in the transaction of the caller's event. Throws `conflict` while the same one is reserved. */
  reserve: (claim: Claim, wanted: Pick<Attempt, 'subject' | 'call' | 'executor' | 'operation_digest' | 'effect' | 'paths'>) => Attempt
  /** A settled attempt never changes: a second settling is left out. */
  settle: (
    claim: Claim,
    id: string,
    end: { status: Exclude<Attempt['status'], 'reserved'>; outcome?: Attempt['outcome']; result?: Json },
  ) => void
  /** Throws `not_found`. */
  get: (id: string) => Attempt
  list: (run: string) => Attempt[]
  open: (run: string) => Attempt[]
  /** Of all runs, the newest ones, oldest first. */
  find: (filter: { run?: string | undefined; status?: Attempt['status'] | undefined; limit: number }) => Attempt[]
}

export function createAttempts({ db, clock, runs }: { db: Database; clock: Clock; runs: Runs }): Attempts {
  const find: Attempts['find'] = ({ run = null, status = null, limit }) =>
    db
      .all<{ record: string }>(
        'SELECT record FROM attempts WHERE (? IS NULL OR run = ?) AND (? IS NULL OR status = ?) ORDER BY reserved_at DESC, id DESC LIMIT ?',
        run,
        run,
        status,
        status,
        limit,
      )
      .map(({ record }) => JSON.parse(record) as Attempt)
      .reverse()
  return {
    reserve: (claim, wanted) =>
      runs.fenced(claim, () => {
        // The word stands in the query itself: only then does SQLite see that the index of reserved ones will do.
        const taken = db.get(
          `SELECT 1 FROM attempts WHERE run = ? AND operation_digest = ? AND status = 'reserved'`,
          claim.run,
          wanted.operation_digest,
        )
        if (taken) throw new AttemptActive(claim.run)
        const last = db.get<{ n: number }>('SELECT coalesce(max(sequence), 0) AS n FROM attempts WHERE subject = ?', wanted.subject)
        const attempt: Attempt = {
          ...wanted,
          id: newId('att', clock),
          run: claim.run,
          sequence: (last?.n ?? 0) + 1,
          status: 'reserved',
          fence: claim.fence,
          result: null,
          outcome: 'known',
          reserved_at: timestamp(clock),
          settled_at: null,
        }
        db.run(
          `INSERT INTO attempts (id, run, subject, sequence, status, operation_digest, fence, record, reserved_at, settled_at)
           VALUES (?, ?, ?, ?, 'reserved', ?, ?, ?, ?, NULL)`,
          attempt.id,
          attempt.run,
          attempt.subject,
          attempt.sequence,
          attempt.operation_digest,
          attempt.fence,
          JSON.stringify(attempt),
          attempt.reserved_at,
        )
        return attempt
      }),
    settle: (claim, id, { status, outcome = 'known', result = null }) =>
      runs.fenced(claim, () => {
        const row = db.get<{ record: string }>(`SELECT record FROM attempts WHERE id = ? AND status = 'reserved'`, id)
        if (!row) return
        const settled = { ...(JSON.parse(row.record) as Attempt), status, outcome, result, settled_at: timestamp(clock) }
        db.run(
          'UPDATE attempts SET status = ?, record = ?, settled_at = ? WHERE id = ?',
          status,
          JSON.stringify(settled),
          settled.settled_at,
          id,
        )
      }),
    get: id => {
      const row = db.get<{ record: string }>('SELECT record FROM attempts WHERE id = ?', id)
      if (!row) throw new AttemptUnknown(id)
      return JSON.parse(row.record) as Attempt
    },
    list: run => find({ run, limit: NO_LIMIT }),
    open: run => find({ run, status: 'reserved', limit: NO_LIMIT }),
    find,
  }
}
