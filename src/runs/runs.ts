// The record of runs. Every change of state and its event share one transaction; every write of a driver states its fence, and
// one that was overtaken changes nothing.

import { type Clock, timestamp } from '../kernel/clock.ts'
import type { RunId } from '../kernel/ids.ts'
import type { JsonObject } from '../kernel/json.ts'
import { newId } from '../kernel/new-id.ts'
import { redactText } from '../policy/secrets/redact.ts'
import type { Database } from '../store/database.ts'
import type { EventLog } from '../store/event-log.ts'
import { RUN_FINALISED } from './approval.ts'
import { createApprovalTable } from './approval-table.ts'
import { AttemptOpen, FenceLost, RunOwned } from './errors.ts'
import { checkMove, checkOutcome, checkReason, type Outcome, type TerminalStatus } from './lifecycle.ts'
import { isGone } from './owner.ts'
import type { Owner, Run } from './run.ts'
import { createRunTable, type RunFilter } from './run-table.ts'

const LEASE_MS = 30_000
export const RENEW_MS = 5_000

/** The right to drive a run. */
export interface Claim {
  run: RunId
  fence: number
}

type NewRun = Pick<Run, 'intent' | 'kind' | 'mode' | 'model'> &
  Partial<Pick<Run, 'alias' | 'parent' | 'mission' | 'task' | 'agent' | 'host'>>

export interface Runs {
  /** `given`: what it was asked for, for whoever goes on with it; `actor`: by whom. */
  create: (run: NewRun, asked?: { given: JsonObject; actor: string }) => Run
  /** Throws `not_found`. Also by alias. */
  get: (id: string) => Run
  /** Newest first. */
  list: (filter: RunFilter) => Run[]
  /** Takes the right to drive a run; throws `conflict` while another process has it. */
  claim: (id: string, owner: Owner, how?: HowClaimed) => Claim
  /** Whether a process has the right to drive it now and is, as far as can be seen, alive. */
  isDriven: (id: string) => boolean
  /** Throws `fence_lost`. */
  renew: (claim: Claim) => void
  /** Throws `fence_lost` where the right is gone; one cheap read. */
  check: (claim: Claim) => void
  /** Does `work` in one transaction, if the claim still holds. */
  fenced: <T>(claim: Claim, work: () => T) => T
  finalize: (claim: Claim, end: End) => Run
  /** Writes down what holds around the commands of the run. */
  recordIsolation: (claim: Claim, isolation: JsonObject | null) => void
  /** From here on the run waits for a person. In the transaction of the caller's event. */
  wait: (claim: Claim) => void
  /** Nothing waits for a person any more. In the transaction of the caller's event; a run that does not wait is left as it is. */
  goOn: (id: string) => void
}

interface HowClaimed {
  /** What the run is told anew, in the event of the claim: nothing that was said is lost. */
  said?: JsonObject
  /** Also from a process that drives it; that one holds an old fence from here on. */
  fromAnyone?: boolean
}

type End = { status: TerminalStatus; outcome?: Outcome; reason?: string; data?: JsonObject }

interface RunsOptions {
  db: Database
  log: EventLog
  clock: Clock
  project: string
}

export function createRuns({ db, log, clock, project }: RunsOptions): Runs {
  const table = createRunTable(db, clock)
  const approvals = createApprovalTable(db, log, clock)
  const withCheckpoint = (run: Run): Run => ({ ...run, latest_checkpoint: newestCheckpoint(log, run) })
  const lease = (): number => clock.now() + LEASE_MS
  const check: Runs['check'] = claim => {
    const newest = table.fenceOf(claim.run)
    if (newest !== claim.fence) throw new FenceLost({ run: claim.run, held: claim.fence, newest })
  }
  const fenced: Runs['fenced'] = (claim, work) =>
    db.transaction(() => {
      check(claim)
      return work()
    })
  const changing = <T>(claim: Claim, work: (run: Run) => T): T => fenced(claim, () => work(table.read(claim.run).run))
  const finish = (run: Run, { status, outcome: wanted, reason: told, data }: End): Run => {
    // The row is no event: what comes from a model provider, a tool or a person is made clean here.
    const reason = told === undefined ? null : redactText(told)
    // What it waits for is taken back below: then it waits no more, and can end in any way.
    checkMove(run.id, run.status === 'proposed' ? 'running' : run.status, status)
    const outcome = checkOutcome(status, wanted)
    checkReason(status, reason)
    const open = db.get<{ id: string }>(`SELECT id FROM attempts WHERE run = ? AND status = 'reserved'`, run.id)
    if (open) throw new AttemptOpen(run.id, open.id)
    for (const pending of approvals.list({ run: run.id, status: 'pending' }))
      approvals.end(pending, { status: 'cancelled', actor: 'system', reason: RUN_FINALISED })
    log.append(`run:${run.id}`, 'run.stopped', { status, outcome, reason, ...data })
    return withCheckpoint(table.write({ ...run, status, outcome, outcome_reason: reason, owner: null, completed_at: timestamp(clock) }, 0))
  }
  const driverOf = ({ run, leaseUntil }: ReturnType<typeof table.read>): Owner | null =>
    run.owner !== null && leaseUntil > clock.now() && !isGone(run.owner) ? run.owner : null
  const claimed = (id: string, owner: Owner, { said = {}, fromAnyone = false }: HowClaimed): Claim => {
    const row = table.read(id)
    const { run } = row
    const driver = driverOf(row)
    if (driver && !fromAnyone && !isSame(driver, owner)) throw new RunOwned(run.alias, driver)
    checkMove(run.id, run.status === 'running' ? 'queued' : run.status, 'running')
    const fence = run.fence + 1
    log.append(`run:${run.id}`, 'run.claimed', { fence, owner: { ...owner }, ...said })
    // What it waits for is still to be answered: it goes on waiting.
    const status = approvals.list({ run: run.id, status: 'pending' }).length > 0 ? 'proposed' : 'running'
    table.write({ ...run, status, outcome: null, outcome_reason: null, completed_at: null, fence, owner }, lease())
    return { run: run.id as RunId, fence }
  }
  return {
    create: (wanted, asked) => {
      const run = queued(wanted, project, clock)
      db.transaction(() => {
        table.insert(run)
        log.append(`run:${run.id}`, 'run.queued', queuedData(run, asked))
      })
      return run
    },
    get: id => withCheckpoint(table.read(id).run),
    list: filter => table.list(filter).map(withCheckpoint),
    claim: (id, owner, how = {}) => db.transaction(() => claimed(id, owner, how)),
    isDriven: id => driverOf(table.read(id)) !== null,
    renew: claim => fenced(claim, () => table.renew(claim.run, lease())),
    check,
    fenced,
    recordIsolation: (claim, isolation) =>
      changing(claim, run => {
        log.append(`run:${run.id}`, 'isolation.recorded', { isolation })
        const { level, degraded } = isolation ?? {}
        // less than was planned is never gone on with in silence.
        if (typeof level === 'string' && typeof degraded === 'string')
          log.append(`run:${run.id}`, 'isolation.degraded', { level, what: degraded })
        table.change(run, { isolation })
      }),
    wait: claim =>
      changing(claim, run => {
        checkMove(run.id, run.status === 'proposed' ? 'running' : run.status, 'proposed')
        table.change(run, { status: 'proposed' })
      }),
    goOn: id =>
      db.transaction(() => {
        const { run } = table.read(id)
        if (run.status === 'proposed') table.change(run, { status: 'running' })
      }),
    finalize: (claim, end) => changing(claim, run => finish(run, end)),
  }
}

/** Told by the log: a turn would otherwise write the whole record once more. */
function newestCheckpoint(log: EventLog, { id }: Run): number | null {
  return log.last({ streams: [`run:${id}`], types: ['checkpoint.saved'] })?.seq ?? null
}

function queued(wanted: NewRun, project: string, clock: Clock): Run {
  const id = newId('run', clock)
  const at = timestamp(clock)
  const intent = redactText(wanted.intent)
  return { ...EMPTY, alias: id.slice(-8).toLowerCase(), ...wanted, intent, id, project, created_at: at, updated_at: at }
}

function queuedData({ intent, kind, mode, model }: Run, asked: { given: JsonObject; actor: string } | undefined): JsonObject {
  return { intent, kind, mode, model, ...asked }
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

function isSame(a: Owner, b: Owner): boolean {
  return a.machine === b.machine && a.boot === b.boot && a.pid === b.pid && a.pid_started_at === b.pid_started_at
}
