import { type Clock, timestamp } from '../kernel/clock.ts'
import type { Database } from '../store/database.ts'
import type { EventLog } from '../store/event-log.ts'
import type { Approval } from './approval.ts'

export interface ApprovalFilter {
  run?: string | undefined
  status?: Approval['status'] | undefined
  /** Only so many, the newest ones. */
  last?: number
}

type End = Pick<Approval, 'status' | 'actor' | 'reason'> & Partial<Pick<Approval, 'remember' | 'rules' | 'resolved_at' | 'signature'>>

/** Approvals as rows. */
export interface ApprovalTable {
  /** By id, or by its last eight characters in any case where only one has them. */
  find: (id: string) => Approval | undefined
  /** Oldest first. */
  list: (filter: ApprovalFilter) => Approval[]
  insert: (approval: Approval) => void
  /** The record and its event, in one transaction. */
  end: (approval: Approval, end: End) => Approval
  isPending: (id: string) => boolean
}

const SHORT = 8
/** As SQLite has it. */
const NO_LIMIT = -1

/** What a person may type instead of the whole id. */
export function shortId(id: string): string {
  return id.slice(-SHORT).toLowerCase()
}

export function createApprovalTable(db: Database, log: EventLog, clock: Clock): ApprovalTable {
  const read = (sql: string, ...values: (string | number | null)[]): Approval[] =>
    db.all<{ record: string }>(`SELECT record FROM approvals ${sql}`, ...values).map(({ record }) => JSON.parse(record) as Approval)
  return {
    find: id => {
      const found = read(`WHERE id = ? OR lower(substr(id, -${SHORT})) = lower(?) LIMIT 2`, id, id)
      return found.find(approval => approval.id === id) ?? (found.length === 1 ? found[0] : undefined)
    },
    list: ({ run = null, status = null, last = NO_LIMIT }) =>
      read(
        'WHERE (? IS NULL OR run = ?) AND (? IS NULL OR status = ?) ORDER BY requested_at DESC, id DESC LIMIT ?',
        run,
        run,
        status,
        status,
        last,
      ).reverse(),
    insert: approval =>
      void db.run(
        'INSERT INTO approvals (id, run, status, record, requested_at) VALUES (?, ?, ?, ?, ?)',
        approval.id,
        approval.run,
        approval.status,
        JSON.stringify(approval),
        approval.requested_at,
      ),
    end: (approval, end) =>
      db.transaction(() => {
        const resolved: Approval = { ...approval, resolved_at: timestamp(clock), ...end }
        db.run('UPDATE approvals SET status = ?, record = ? WHERE id = ?', resolved.status, JSON.stringify(resolved), resolved.id)
        const { status, actor, reason, remember, rules } = resolved
        log.append(`run:${resolved.run}`, 'approval.resolved', {
          approval: resolved.id,
          resolution: status,
          actor: actor ?? 'system',
          reason,
          remember,
          rules: rules.map(({ id }) => id),
        })
        return resolved
      }),
    isPending: id => db.get(`SELECT 1 FROM approvals WHERE id = ? AND status = 'pending'`, id) !== undefined,
  }
}
