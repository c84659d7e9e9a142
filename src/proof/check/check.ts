import type { Clock } from '../../kernel/clock.ts'
import { GitFailed } from '../../sandbox/git/git.ts'
import { measureCommit, measureTree, OFFLINE } from '../attest/measure-tree.ts'
import type { Statement } from '../attest/statement.ts'
import type { Trusted } from '../attest/trust.ts'
import { checkBundle, findBundle } from '../evidence/read-bundle.ts'
import { strictJson } from '../strict-json.ts'
import { CHECK_OUTCOMES, type CheckOutcome, type CheckStep } from './outcomes.ts'
import { type LineReading, readLine, type Signed } from './read-line.ts'
import { type Requirements, unmet } from './require.ts'
import type { LookIntoLog } from './store-log.ts'
import { readTarget, type Target, type TargetPorts } from './targets.ts'

// §10. Of several envelopes for the same target the newest that is well signed by a trusted key counts, whatever it says: a later
// `not_proven` takes back an earlier `proven`, unless it only says that nothing could be measured. Lines that cannot be read do not
// harm those that can.

export interface CheckRequest {
  target: string
  require?: Requirements
  rerun?: boolean
}

export interface CheckPorts extends TargetPorts {
  trusted: readonly Trusted[]
  clock: Clock
  /** Folders in which bundles may lie. */
  proofs: readonly string[]
  /** Null where no store is here. */
  log: LookIntoLog | null
  /** The same command in a new proof place. */
  rerun: (statement: Statement) => Promise<'green' | 'red' | 'unmeasured'>
}

export interface CheckResult {
  outcome: CheckOutcome
  exit: number
  /** The step of F-35 that decided; null where all of them held. */
  step: CheckStep | null
  /** What decided it, in words; the first difference. */
  reason: string
  target: { name: string; commit: string | null; tree: string | null }
  /** What the statement is about. */
  proven: { commit: string; tree: string } | null
  /** Paths that differ between the proven tree and this one, where it is stale. */
  changed: string[]
  signer: { keyid: string; name: string | null } | null
  evidence: 'sound' | 'absent' | 'not-looked-at'
  log: 'sound' | 'elsewhere' | 'absent' | 'not-looked-at'
  statement: Statement | null
}

/** Never throws because of what an attestation, a note, a bundle or a repository holds: the outcome says it. */
export async function checkProof(request: CheckRequest, ports: CheckPorts): Promise<CheckResult> {
  try {
    const reading = await readTarget(request.target, ports)
    if (reading.kind === 'target') return await checkTarget(reading.target, request, ports)
    return result({ name: request.target, commit: null, tree: null }, { outcome: reading.kind, step: 'parse', reason: reading.reason })
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error
    return result({ name: request.target, commit: null, tree: null }, { outcome: 'unmeasured', step: 'subject', reason: error.message })
  }
}

async function checkTarget(target: Target, request: CheckRequest, ports: CheckPorts): Promise<CheckResult> {
  const readings = linesOf(target).map(line => readLine(line, ports.trusted))
  const signed = readings.filter(reading => reading.kind === 'signed')
  const about = signed.filter(one => isAbout(one.statement, target))
  const chosen = newest(about.filter(saysSomething)) ?? newest(about)
  if (!chosen) return nothingFits(target, readings, ports)
  const named = aboutOf(chosen)
  const subject = await subjectFault(chosen.statement, ports)
  if (subject) return result(target, { ...named, ...subject, step: 'subject' })
  const evidence = evidenceFault(chosen, target, ports)
  if (evidence.kind === 'fault') return result(target, { ...named, outcome: 'tampered', step: 'evidence', reason: evidence.reason })
  const log = logFault(chosen, ports)
  if (log.kind === 'fault')
    return result(target, { ...named, evidence: evidence.kind, outcome: 'tampered', step: 'log', reason: log.reason })
  const found = { ...named, evidence: evidence.kind, log: log.kind }
  return result(target, { ...found, ...(await judged(chosen.statement, request, ports)) })
}

type Judged = Pick<CheckResult, 'outcome' | 'step' | 'reason'>

async function judged(statement: Statement, { require = {}, rerun = false }: CheckRequest, ports: CheckPorts): Promise<Judged> {
  const { predicate } = statement
  if (predicate.verdict !== 'proven')
    return {
      outcome: 'not-proven',
      step: 'verdict',
      reason: `it was measured and not proven: ${predicate.causes.join(', ') || 'no cause'}`,
    }
  const missed = unmet(predicate, require, ports.clock.now())
  if (missed !== null) return { outcome: 'policy-unmet', step: 'require', reason: missed }
  if (!rerun) return VALID
  switch (await ports.rerun(statement)) {
    case 'green':
      return VALID
    case 'red':
      return { outcome: 'rerun-red', step: 'rerun', reason: `the command is red now: ${predicate.command.text}` }
    case 'unmeasured':
      return { outcome: 'unmeasured', step: 'rerun', reason: 'the command could not be prepared or run here' }
  }
}

const VALID: Judged = { outcome: 'valid', step: null, reason: 'it is proven, and signed by a key that is trusted here' }

async function nothingFits(target: Target, readings: readonly LineReading[], ports: CheckPorts): Promise<CheckResult> {
  const tampered = readings.find(reading => reading.kind === 'tampered')
  if (tampered) return result(target, { outcome: 'tampered', step: tampered.step, reason: tampered.reason })
  const other = newest(readings.filter(reading => reading.kind === 'signed'))
  if (other) return stale(target, other, ports)
  const unknown = readings.find(reading => reading.kind === 'unknown-signer')
  if (unknown) {
    const signer = { keyid: unknown.keyid, name: null }
    return result(target, { outcome: 'unknown-signer', step: 'signer', reason: unknown.reason, signer })
  }
  return result(target, { outcome: 'missing', step: 'parse', reason: 'there is no attestation of a proof' })
}

async function stale(target: Target, other: Signed, { git }: CheckPorts): Promise<CheckResult> {
  const about = aboutOf(other)
  const { tree } = about.proven
  const isSameTree = tree === target.tree
  const { exit, text } = await git.call(['diff-tree', '-r', '-z', '--name-only', tree, target.tree ?? tree], {
    answers: [0, 128],
    env: OFFLINE,
  })
  return result(target, {
    ...about,
    outcome: 'stale',
    step: 'subject',
    reason: isSameTree
      ? `the same tree was proven as commit ${about.proven.commit}: qed proof check ${target.tree}^{tree}`
      : `tree ${tree} was proven, this is ${target.tree}`,
    changed: exit === 0 ? text.split('\0').filter(path => path !== '') : [],
  })
}

async function subjectFault(statement: Statement, { git }: CheckPorts): Promise<Pick<CheckResult, 'outcome' | 'reason'> | null> {
  const [{ digest: tree }, { digest: commit }] = statement.subject
  const made = await measureCommit(git, commit.gitCommit)
  if (made.kind === 'unsound') return { outcome: 'tampered', reason: `commit ${commit.gitCommit} does not have the content its id says` }
  // A proof of a working tree names a commit that only its maker has; the tree is what was proven.
  if (made.kind === 'commit' && made.tree !== tree.gitTree)
    return { outcome: 'tampered', reason: `commit ${commit.gitCommit} has the tree ${made.tree}, not ${tree.gitTree}` }
  const measured = await measureTree(git, tree.gitTree)
  switch (measured.kind) {
    case 'absent':
      return { outcome: 'unmeasured', reason: `the git object ${measured.oid} of the proven tree is not here` }
    case 'unsound':
      return { outcome: 'tampered', reason: `${measured.path || 'the tree'} (${measured.oid}) does not have the content its id says` }
    case 'measured':
      return (measured.dirHash ?? undefined) === tree.dirHash
        ? null
        : { outcome: 'tampered', reason: `the files have the dirHash ${measured.dirHash}, not ${tree.dirHash}` }
  }
}

type Looked<K extends string> = { kind: K } | { kind: 'fault'; reason: string }

function evidenceFault({ line, statement }: Signed, target: Target, ports: CheckPorts): Looked<'sound' | 'absent'> {
  const manifest = statement.predicate.evidence.manifest.sha256
  const folder = target.bundle ?? ports.proofs.map(proofs => findBundle(proofs, { line, manifest })).find(found => found !== null)
  const checked = folder ? checkBundle(folder, manifest) : ({ kind: 'absent' } as const)
  return checked.kind === 'different' ? { kind: 'fault', reason: `evidence ${checked.path}: ${checked.reason}` } : { kind: checked.kind }
}

function logFault({ statement, sha256 }: Signed, { log }: CheckPorts): Looked<'sound' | 'elsewhere' | 'absent'> {
  const looked = log?.(statement.predicate.log, sha256) ?? { kind: 'absent' as const }
  return looked.kind === 'broken' ? { kind: 'fault', reason: looked.reason } : looked
}

function isAbout({ subject: [tree, commit] }: Statement, target: Target): boolean {
  const sameTree = target.tree === null || tree.digest.gitTree === target.tree
  return sameTree && (target.commit === null || commit.digest.gitCommit === target.commit)
}

// F-26: these two causes, alone, say nothing about the work.
function saysSomething({ statement: { predicate } }: Signed): boolean {
  const { verdict, causes } = predicate
  return verdict === 'proven' || causes.some(cause => cause !== 'environment' && cause !== 'interrupted')
}

function newest(signed: readonly Signed[]): Signed | undefined {
  const at = (one: Signed): number => Date.parse(one.statement.predicate.ended_at)
  // Of two with the same time, the one that was written later.
  return signed.reduce<Signed | undefined>((last, one) => (last && at(last) > at(one) ? last : one), undefined)
}

// A file may hold one envelope that some tool has laid out over several lines.
function linesOf({ kind, text }: Target): string[] {
  if (kind === 'file' && strictJson(text).kind === 'json') return [text.trim()]
  return text.split('\n').flatMap(line => (line.trim() === '' ? [] : [line.trim()]))
}

function aboutOf({ statement, keyid, signer }: Signed) {
  const [tree, commit] = statement.subject
  return { statement, signer: { keyid, name: signer ?? null }, proven: { commit: commit.digest.gitCommit, tree: tree.digest.gitTree } }
}

function result(
  { name, commit, tree }: CheckResult['target'],
  found: Pick<CheckResult, 'outcome' | 'step' | 'reason'> & Partial<CheckResult>,
): CheckResult {
  return {
    target: { name, commit, tree },
    proven: null,
    changed: [],
    signer: null,
    evidence: 'not-looked-at',
    log: 'not-looked-at',
    statement: null,
    ...found,
    exit: CHECK_OUTCOMES[found.outcome],
  }
}
