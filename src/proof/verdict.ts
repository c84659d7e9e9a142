import type { Acceptance, Finding } from '../kernel/finding.ts'
import type { FindingAcceptance, ProofFacts, RunFact } from './facts.ts'
import { gatePassed } from './judges/gate-passed.ts'
import { colourOf, runsOf } from './judges/run-colour.ts'
import { CAUSES, type Cause } from './proof.ts'

export interface Verdict {
  verdict: 'proven' | 'not_proven'
  /** In the order of `CAUSES`; none where it is proven. */
  causes: Cause[]
}

/** F-26. Findings are those of the same facts, with what was accepted. F-28: an error stands, whatever anyone says. */
export function verdict(facts: ProofFacts, findings: readonly Finding[]): Verdict {
  const holds: Record<Cause, boolean> = {
    interrupted: facts.runs.some(run => run.reason === 'aborted'),
    environment: isEnvironment(facts),
    verify: hasError(findings, isVerify) || !runsAreAsDemanded(facts),
    findings: hasError(findings, finding => !isVerify(finding) && !isGate(finding)) || hasMovedOn(facts),
    review: findings.some(finding => finding.severity === 'review' && finding.accepted === undefined),
    gates: hasError(findings, isGate) || !gatesPassed(facts),
  }
  const causes = CAUSES.filter(cause => holds[cause])
  return { verdict: causes.length === 0 ? 'proven' : 'not_proven', causes }
}

/** A checker's word counts from this confidence on (M-58). */
const LEAST_CONFIDENCE = 0.7

/** Puts the first acceptance that counts on each review finding. The author's own counts for nothing, nor does one without a reason. */
export function withAcceptances(
  findings: readonly Finding[],
  { acceptances, author }: Pick<ProofFacts, 'acceptances' | 'author'>,
): Finding[] {
  const counting = acceptances.filter(one => one.by !== author && one.reason.trim() !== '' && (one.role === 'person' || isSure(one)))
  return findings.map(finding => {
    if (finding.severity !== 'review') return finding
    const found = counting.find(one => one.finding === finding.id && (one.path === undefined || one.path === finding.path))
    return found ? { ...finding, accepted: acceptanceOf(found) } : finding
  })
}

function isSure({ confidence }: FindingAcceptance): boolean {
  return confidence !== undefined && confidence >= LEAST_CONFIDENCE && confidence <= 1
}

function acceptanceOf({ by, role, at, reason }: Acceptance): Acceptance {
  return { by, role, at, reason }
}

/** Nothing can be said about the work: dependencies could not be made present, or a command could not be run. */
function isEnvironment({ prepare, runs, terms }: ProofFacts): boolean {
  if (prepare.outcome === 'failed') return true
  return runs.some(run => run.reason !== 'aborted' && colourOf(run, terms.command) === 'not-run')
}

/** §3: each required run was made and has its colour; `broken` and `vary` of the wrong one are findings that may be reviews. What could not be run or was broken off has a cause of its own. */
function runsAreAsDemanded(facts: ProofFacts): boolean {
  const { plan, runs, terms } = facts
  if (isEnvironment(facts) || runs.some(run => run.reason === 'aborted')) return true
  const isAll = (name: RunFact['name'], colour: string, least = 1): boolean => {
    const made = runsOf(runs, name)
    return made.length >= least && made.every(run => colourOf(run, terms.command) === colour)
  }
  const needs = (name: RunFact['name']): boolean => plan.required.includes(name)
  return (
    isAll('base', terms.command.kind === 'guard' ? 'green' : 'red') &&
    isAll('result', 'green', terms.command.repeat) &&
    (!needs('half') || isAll('half', 'red')) &&
    (!needs('broken') || runsOf(runs, 'broken').length > 0) &&
    (!needs('vary') || runsOf(runs, 'vary').length > 0)
  )
}

function gatesPassed({ terms, gates }: ProofFacts): boolean {
  return terms.gates.every(name => gates.some(gate => gate.definition.name === name && !gate.changed && gatePassed(gate)))
}

/** The tree or the brief is not the one that was judged; there is a finding for each, and the verdict does not rest on it. */
function hasMovedOn({ terms, brief_digest, tree_at_end, result }: ProofFacts): boolean {
  return (terms.brief !== null && terms.brief.digest !== brief_digest) || (tree_at_end !== null && tree_at_end !== result.tree)
}

function hasError(findings: readonly Finding[], is: (finding: Finding) => boolean): boolean {
  return findings.some(finding => finding.severity === 'error' && is(finding))
}

function isVerify({ id }: Finding): boolean {
  return id.startsWith('verify.')
}

function isGate({ id }: Finding): boolean {
  return id.startsWith('gate.')
}
