// The record of runs. Every change of state and its event share one transaction; every write of a driver states its fence, and
// one that was overtaken changes nothing.
import { type Clock, timestamp } from '../kernel/clock.ts'
import type { RunId } from '../kernel/ids.ts'
import type { JsonObject } from '../kernel/json.ts'
import { newId } from '../kernel/new-id.ts'
import type { Database } from '../store/database.ts'
import type { EventLog } from '../store/event-log.ts'
import { AttemptOpen, FenceLost, RunOwned, RunUnknown } from './errors.ts'
import { checkMove, checkOutcome, isTerminal, type Outcome, type RunStatus, type TerminalStatus } from './lifecycle.ts'
import { isGone } from './owner.ts'
import type { Owner, Run } from './run.ts'

export const LEASE_MS = 30_000
export const RENEW_MS = 5_000

/** The right to drive a run. */
export interface Claim {
  run: RunId
  fence: number
}

export interface RunFilter {
  status?: RunStatus | undefined
  since?: string | undefined
  limit: number
  offset?: number | undefined
}

type NewRun = Pick<Run, 'intent' | 'kind' | 'mode' | 'model'> &
  Partial<Pick<Run, 'alias' | 'parent' | 'mission' | 'task' | 'agent' | 'host'>>

export interface Runs {
  create: (run: NewRun) => Run
  /** Throws `not_found`. Also by alias. */
  get: (id: string) => Run
  /** Newest first. */
  list: (filter: RunFilter) => Run[]
  /** Takes the right to drive a run; throws `conflict` while another process has it. */
  claim: (id: string, owner: Owner) => Claim
  /** Throws `fence_lost`. */
  renew: (claim: Claim) => void
  /** Does `work` in one transaction, if the claim still holds. */
  fenced: <T>(claim: Claim, work: (run: Run) => T) => T
  update: (claim: Claim, change: Partial<Pick<Run, 'status' | 'model' | 'isolation' | 'latest_checkpoint'>>) => Run
  finalize: (claim: Claim, end: { status: TerminalStatus; outcome?: Outcome; reason?: string; data?: JsonObject }) => Run
  /** A run that nobody drives ends here too. */
  abort: (id: string, reason: string) => Run
}

interface RunRow {
  record: string
  fence: number
  owner: string | null
  lease_until: number
}

export function createRuns({ db, log, clock, project }: { db: Database; log: EventLog; clock: Clock; project: string }): Runs {
  const rowOf = (id: string): RunRow => {
    const row = db.get<RunRow>('SELECT record, fence, owner, lease_until FROM runs WHERE id = ? OR alias = ?', id, id)
    if (!row) throw new RunUnknown(id)
    return row
  }
  const write = (run: Run, leaseUntil: number): Run => {
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
  }
  const fenced: Runs['fenced'] = (claim, work) =>
    db.transaction(() => {
      const run = toRun(rowOf(claim.run))
      if (run.fence !== claim.fence) throw new FenceLost({ run: claim.run, held: claim.fence, newest: run.fence })
      return work(run)
    })
  const finish = (run: Run, end: { status: TerminalStatus; outcome?: Outcome; reason?: string; data?: JsonObject }): Run => {
    checkMove(run.id, run.status, end.status)
    const outcome = checkOutcome(end.status, end.outcome)
    const open = db.get<{ id: string }>(`SELECT id FROM attempts WHERE run = ? AND status = 'reserved'`, run.id)
    if (open) throw new AttemptOpen(run.id, open.id)
    db.run(`UPDATE approvals SET status = 'cancelled' WHERE run = ? AND status = 'pending'`, run.id)
    log.append(`run:${run.id}`, 'run.stopped', { status: end.status, outcome, reason: end.reason ?? null, ...end.data })
    return write(
      { ...run, status: end.status, outcome, outcome_reason: end.reason ?? null, owner: null, completed_at: timestamp(clock) },
      0,
    )
  }
  return {
    create: given => {
      const id = newId('run', clock)
      const at = timestamp(clock)
      const run: Run = { ...EMPTY, ...given, id, alias: given.alias ?? id.slice(-8).toLowerCase(), project, created_at: at, updated_at: at }
      db.transaction(() => {
        db.run(
          'INSERT INTO runs (id, alias, record, status, fence, owner, lease_until, created_at, updated_at) VALUES (?, ?, ?, ?, 0, NULL, 0, ?, ?)',
          id,
          run.alias,
          JSON.stringify(run),
          run.status,
          at,
          at,
        )
        log.append(`run:${id}`, 'run.queued', { intent: run.intent, kind: run.kind, mode: run.mode, model: run.model })
      })
      return run
    },
    get: id => toRun(rowOf(id)),
    list: ({ status, since, limit, offset = 0 }) =>
      db
        .all<RunRow>(
          `SELECT record, fence, owner, lease_until FROM runs WHERE (? IS NULL OR status = ?) AND (? IS NULL OR created_at >= ?)
           ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`,
          status ?? null,
          status ?? null,
          since ?? null,
          since ?? null,
          limit,
          offset,
        )
        .map(toRun),
    claim: (id, owner) =>
      db.transaction(() => {
        const row = rowOf(id)
        const run = toRun(row)
        const held = run.owner !== null && row.lease_until > clock.now() && !isGone(run.owner) && !isSame(run.owner, owner)
        if (held && run.owner) throw new RunOwned(id, { pid: run.owner.pid, machine: run.owner.machine })
        checkMove(run.id, run.status === 'running' ? 'queued' : run.status, 'running')
        const fence = run.fence + 1
        log.append(`run:${run.id}`, 'run.claimed', { fence, owner: { ...owner } })
        write({ ...run, status: 'running', outcome: null, outcome_reason: null, completed_at: null, fence, owner }, clock.now() + LEASE_MS)
        return { run: run.id as RunId, fence }
      }),
    renew: claim => fenced(claim, run => void db.run('UPDATE runs SET lease_until = ? WHERE id = ?', clock.now() + LEASE_MS, run.id)),
    fenced,
    update: (claim, change) =>
      fenced(claim, run => {
        if (change.status !== undefined && change.status !== run.status) checkMove(run.id, run.status, change.status)
        return write({ ...run, ...change }, clock.now() + LEASE_MS)
      }),
    finalize: (claim, end) => fenced(claim, run => finish(run, end)),
    abort: (id, reason) =>
      db.transaction(() => {
        const run = toRun(rowOf(id))
        if (isTerminal(run.status)) return run
        // Whoever drove it holds an old fence from here on.
        return finish({ ...run, fence: run.fence + 1 }, { status: 'aborted', outcome: 'cancelled', reason })
      }),
  }
}

const EMPTY = {
  parent: null,
  mission: null,
  task: null,
  workflow: null,
  change: null,
  phase: null,
  agent: null,
  host: 'qed',
  status: 'queued',
  outcome: null,
  outcome_reason: null,
  latest_checkpoint: null,
  isolation: null,
  fence: 0,
  owner: null,
  completed_at: null,
} as const

function toRun({ record }: RunRow): Run {
  return JSON.parse(record) as Run
}

function isSame(a: Owner, b: Owner): boolean {
  return a.machine === b.machine && a.boot === b.boot && a.pid === b.pid && a.pid_started_at === b.pid_started_at
}
