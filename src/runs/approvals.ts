// Asks and their answers. The record is the one truth: whoever can answer writes it, at the terminal of the run or elsewhere, and
// the run that waits reads it. A record and its event share one transaction; the first answer counts.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, timestamp } from '../kernel/clock.ts'
import { ActorNotPerson } from '../kernel/errors.ts'
import type { JsonObject } from '../kernel/json.ts'
import { canonicalJson } from '../kernel/json.ts'
import { newId } from '../kernel/new-id.ts'
import { redactJson } from '../policy/secrets/redact.ts'
import type { Database } from '../store/database.ts'
import type { EventLog } from '../store/event-log.ts'
import type { Approval, KeptRule, Remember } from './approval.ts'
import { type ApprovalFilter, createApprovalTable } from './approval-table.ts'
import { AlreadyResolved, AnswerNotOffered, ApprovalUnknown, DigestMismatch } from './errors.ts'
import type { Claim, Runs } from './runs.ts'

/** One call of a run. Its id alone is not enough: a model may use it again in a later turn. */
type CallPlace = Pick<Approval, 'loop' | 'turn' | 'call'>

export function isSameCall(a: CallPlace, b: CallPlace): boolean {
  return a.loop === b.loop && a.turn === b.turn && a.call === b.call
}

/** What a call asks a person for. */
type Asked = Pick<
  Approval,
  'loop' | 'turn' | 'call' | 'tool' | 'operation' | 'operation_digest' | 'rule' | 'asked' | 'preview' | 'walls' | 'bindings' | 'offers'
>

/** An answer. `digest` says what was looked at. */
interface Answer {
  resolution: 'approved' | 'rejected' | 'cancelled'
  actor: string
  digest: string
  reason?: string | undefined
  remember?: Remember | undefined
  /** The wider of the offered rules. */
  wider?: boolean | undefined
}

/** What an answer needs of the person's side. */
export interface AnswerPorts {
  /** The person's signature under these bytes. */
  sign: (text: string) => string
  /** Keeps rules for the project, in the transaction of the answer. */
  keepForProject: (rules: KeptRule[]) => void
}

export interface Approvals {
  /** Makes a pending approval; the run waits from here on. `announce` writes what comes before it and tells the events. */
  request: (claim: Claim, asked: Asked, announce: (id: string) => { requested: number; decided: number }) => Approval
  /** By id or its last eight characters; throws `not_found`. */
  get: (id: string) => Approval
  /** Oldest first. */
  list: (filter: ApprovalFilter) => Approval[]
  /** The newest one of a call that asked for just this. */
  ofCall: (run: string, at: CallPlace, digest: string) => Approval | undefined
  /** Once: throws `already_resolved` to whoever comes second, `digest_mismatch` where something else was shown. */
  resolve: (id: string, answer: Answer, ports: AnswerPorts) => Approval
  /** Ends one that nobody can answer any more; one that was answered stays. */
  cancel: (id: string, reason: string) => void
  /** Waits for the answer, from whichever process it comes; ends it where its time is over. */
  answered: (id: string, signal: AbortSignal) => Promise<Approval>
}

/** How often a run that waits looks for its answer. One look is one read by key. */
const LOOK_MS = 100

interface ApprovalsOptions {
  db: Database
  log: EventLog
  clock: Clock
  runs: Runs
  /** Seconds after which an unanswered ask is cancelled; null: never. */
  ttl: number | null
}

export function createApprovals({ db, log, clock, runs, ttl }: ApprovalsOptions): Approvals {
  const table = createApprovalTable(db, log, clock)
  const get = (id: string): Approval => {
    const found = table.find(id)
    if (!found) throw new ApprovalUnknown(id)
    return found
  }
  /** Ends one, and lets its run go on where nothing else waits. */
  const end: typeof table.end = (approval, how) => {
    const ended = table.end(approval, how)
    if (table.list({ run: approval.run, status: 'pending' }).length === 0) runs.goOn(approval.run)
    return ended
  }
  const expired = (approval: Approval): Approval | null =>
    approval.status === 'pending' && approval.expires_at !== null && approval.expires_at <= timestamp(clock)
      ? end(approval, { status: 'cancelled', actor: 'system', reason: 'expired' })
      : null
  return {
    get,
    list: table.list,
    ofCall: (run, at, digest) => table.list({ run }).findLast(approval => approval.operation_digest === digest && isSameCall(approval, at)),
    request: (claim, asked, announce) =>
      runs.fenced(claim, () => {
        const id = newId('apr', clock)
        const { requested, decided } = announce(id)
        const approval = pendingOf({ ...asked, id, run: claim.run, decision: decided, pending_execution: requested }, clock, ttl)
        table.insert(approval)
        const { loop, turn, call, operation, operation_digest: digest } = approval
        log.append(`run:${claim.run}`, 'approval.requested', {
          loop,
          turn,
          call,
          approval: id,
          operation: canonicalJson(operation),
          digest,
          decision: decided,
        })
        runs.wait(claim)
        return approval
      }),
    resolve: (id, answer, ports) => {
      const resolved = db.transaction(() => {
        const approval = get(id)
        if (approval.status !== 'pending') throw new AlreadyResolved(approval)
        const late = expired(approval)
        if (late) return { late }
        return { done: settle(approval, answer, ports, { clock, end, others: table.list({ run: approval.run, status: 'pending' }) }) }
      })
      if (resolved.late) throw new AlreadyResolved(resolved.late)
      return resolved.done
    },
    cancel: (id, reason) =>
      db.transaction(() => {
        const approval = get(id)
        if (approval.status === 'pending') end(approval, { status: 'cancelled', actor: 'system', reason })
      }),
    answered: async (id, signal) => {
      for (;;) {
        signal.throwIfAborted()
        if (!table.isPending(id)) return get(id)
        const late = ttl === null ? null : db.transaction(() => expired(get(id)))
        if (late) return late
        await sleep(LOOK_MS, undefined, { signal })
      }
    },
  }
}

function pendingOf(
  asked: Asked & Pick<Approval, 'id' | 'run' | 'decision' | 'pending_execution'>,
  clock: Clock,
  ttl: number | null,
): Approval {
  return redacted({
    ...asked,
    status: 'pending',
    remember: null,
    rules: [],
    actor: null,
    reason: null,
    requested_at: timestamp(clock),
    resolved_at: null,
    expires_at: ttl === null ? null : new Date(clock.now() + ttl * 1000).toISOString(),
    signature: null,
  })
}

interface Settling {
  clock: Clock
  end: (approval: Approval, how: Parameters<ReturnType<typeof createApprovalTable>['end']>[1]) => Approval
  /** Every approval of the run that is open. */
  others: readonly Approval[]
}

function settle(approval: Approval, answer: Answer, ports: AnswerPorts, { clock, end, others }: Settling): Approval {
  const { resolution, actor, reason = null } = answer
  if (answer.digest !== approval.operation_digest) throw new DigestMismatch(approval, answer.digest)
  if (resolution === 'approved' && !actor.startsWith('person:')) throw new ActorNotPerson('approval.resolve', `qed approve ${approval.id}`)
  const remember = resolution === 'approved' ? (answer.remember ?? 'once') : null
  const rules = rulesOf(approval, remember, answer.wider ?? false)
  if (remember === 'project') ports.keepForProject(rules)
  const signed = { status: resolution, remember, actor, resolved_at: timestamp(clock) }
  const signature = (of: Approval): string | null => (actor.startsWith('person:') ? ports.sign(signedText({ ...of, ...signed })) : null)
  const done = end(approval, { ...signed, reason, rules, signature: signature(approval) })
  for (const other of others) {
    if (other.id === approval.id) continue
    const sameTurn = other.loop === approval.loop && other.turn === approval.turn
    if (resolution === 'rejected' && sameTurn) end(other, { status: 'cancelled', actor: 'system', reason: 'another-rejected' })
    if (isCovered(other, rules)) end(other, { ...signed, reason: `covered by ${approval.id}`, signature: signature(other) })
  }
  return done
}

/** What is signed: who answered what and how far it reaches. */
export function signedText({ id, operation_digest, status: resolution, remember, actor, resolved_at }: Approval): string {
  return canonicalJson({ id, operation_digest, resolution, remember, actor, resolved_at })
}

/** The rules that an answer keeps, as they were shown: the first offer is the exact one, a second one is wider. */
function rulesOf(approval: Approval, remember: Remember | null, wider: boolean): KeptRule[] {
  if (remember === null || remember === 'once') return []
  const offers = approval.offers.filter(({ answer }) => answer === remember)
  const offer = wider ? offers[1] : offers[0]
  if (!offer) throw new AnswerNotOffered(approval, wider ? `${remember}, wider` : remember)
  return offer.rules ?? []
}

// Rules are named after their content, so an ask that these very rules would answer is told by their names.
function isCovered(other: Approval, rules: readonly KeptRule[]): boolean {
  const known = new Set(rules.map(({ id }) => id))
  const exact = other.offers.find(({ answer }) => answer === 'run')?.rules ?? []
  return exact.length > 0 && exact.every(({ id }) => known.has(id))
}

// A rule with a secret in it would no longer say what was meant, and would spread it: such an ask can be answered once only.
function redacted(approval: Approval): Approval {
  const clean = redactJson(approval as unknown as JsonObject) as unknown as Approval
  const same = canonicalJson(clean.operation) === canonicalJson(approval.operation)
  return same ? clean : { ...clean, offers: clean.offers.filter(({ answer }) => answer === 'once' || answer === 'reject') }
}
