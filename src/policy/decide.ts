import { canonicalJson } from '../kernel/json.ts'
import { sha256 } from '../kernel/sha256.ts'
import { cutIntoSubjects } from './facets.ts'
import { type Judged, judgeFacet } from './judge-facet.ts'
import { ANSWERABLE, type PolicyLayers } from './layers/layer.ts'
import { approverOf, malformedMember } from './operation-check.ts'
import type { ReadShell, ShellReading } from './shell-port.ts'
import type { Decision, PolicyOperation, Verdict } from './types.ts'
import { isStricter, strictest } from './verdict.ts'

// Operation → facets → each facet through the layers → the strictest facet → the stricter of parent and child → nobody to ask.

/** May this be done? Pure, and never throws: what cannot be read is asked about. */
export function decide(operation: PolicyOperation, layers: PolicyLayers, readShell: ReadShell): Decision {
  try {
    const member = malformedMember(operation)
    return member === null
      ? decideIn(operation, layers, onceFor(readShell), operationDigest(operation))
      : malformedDecision(operation, member)
  } catch {
    return malformedDecision(operation, 'operation')
  }
}

/** What binds an approval or an attempt to an operation: what would be done and where, without what the world looked like. */
export function operationDigest({ facts: _facts, context: _context, ...rest }: PolicyOperation): string {
  return sha256(canonicalJson(rest))
}

function decideIn(operation: PolicyOperation, layers: PolicyLayers, readShell: ReadShell, digest: string): Decision {
  const judged = cutIntoSubjects(operation, layers, digest, readShell).map(subject => judgeFacet(subject, layers))
  const own = combined(judged, digest)
  const { parent, approver } = operation.context
  // A child's rights never exceed its parent's, however it was started.
  const both = parent ? stricterOf(own, decideIn({ ...operation, context: parent }, layers, readShell, digest)) : own
  return approver === 'none' ? withoutPerson(both) : both
}

// A child and all its parents judge the same reading.
function onceFor(readShell: ReadShell): ReadShell {
  let last: { command: string | { argv: string[] }; reading: ShellReading } | undefined
  return (command, at) => {
    if (last === undefined || !isSame(last.command, command)) last = { command, reading: readShell(command, at) }
    return last.reading
  }
}

function isSame(a: string | { argv: string[] }, b: string | { argv: string[] }): boolean {
  return a === b || (typeof a === 'object' && typeof b === 'object' && a.argv === b.argv)
}

function combined(judged: Judged[], digest: string): Decision {
  const first = strictest(judged, one => one.answer.verdict)
  const asking = judged.filter(one => one.answer.verdict === 'ask')
  // Of several asks the one that no rule could answer says more than one that a rule could.
  const best = first?.answer.verdict === 'ask' ? (asking.find(one => !ANSWERABLE.includes(one.layer)) ?? first) : first
  return {
    verdict: best?.answer.verdict ?? 'ask',
    code: best?.answer.code ?? 'ambiguous',
    reason: best?.answer.reason ?? 'There is nothing to judge.',
    rule: { layer: best?.layer ?? 'floor', id: best?.answer.rule ?? 'ambiguous' },
    facets: judged.map(({ facet, answer, layer }) => ({ ...facet, verdict: answer.verdict, rule: { layer, id: answer.rule } })),
    trace: judged.flatMap(({ trace }, facet) => trace.map(entry => ({ facet, ...entry }))),
    flags: [...new Set(judged.flatMap(one => one.facet.flags))],
    rememberable: best?.answer.verdict === 'ask' && asking.every(one => one.rememberable),
    digest,
  }
}

/** Facet by facet the stricter of two decisions about the same operation; on a tie the first. */
function stricterOf(child: Decision, parent: Decision): Decision {
  const takesParent = child.facets.map((facet, i) => isStricter(parent.facets[i]?.verdict ?? 'allow', facet.verdict))
  const verdicts = isStricter(parent.verdict, child.verdict) ? parent : child
  return {
    ...verdicts,
    facets: child.facets.map((facet, i) => (takesParent[i] ? (parent.facets[i] ?? facet) : facet)),
    trace: [...child.trace, ...parent.trace.filter(entry => takesParent[entry.facet])],
    rememberable: verdicts.verdict === 'ask' && [child, parent].every(one => one.verdict !== 'ask' || one.rememberable),
  }
}

/** With nobody to ask, an ask is a deny that says so and keeps the rule that asked. */
function withoutPerson(decision: Decision): Decision {
  if (decision.verdict !== 'ask') return decision
  return { ...decision, verdict: 'deny', code: 'ask-without-person', reason: `${decision.reason} Nobody is there to ask.` }
}

/** A person's direct order answers its own ask; a deny stays. */
export function orderedByPerson(decision: Decision): Decision {
  return decision.verdict === 'ask' ? { ...decision, verdict: 'allow', reason: 'A person ordered this directly.' } : decision
}

/** Exit code of a verdict on the command line: what a person could still allow is told apart from what nobody can. */
export function exitCodeOfVerdict({ verdict, code }: Pick<Decision, 'verdict' | 'code'>): 0 | 4 | 5 {
  if (code === 'ask-without-person') return 5
  const codes: Record<Verdict, 0 | 4 | 5> = { allow: 0, ask: 5, deny: 4 }
  return codes[verdict]
}

function malformedDecision(operation: unknown, member: string): Decision {
  const decision: Decision = {
    verdict: 'ask',
    code: 'malformed-operation',
    reason: `The operation cannot be read: ${member} is not what it must be.`,
    rule: { layer: 'floor', id: 'malformed-operation' },
    facets: [],
    trace: [{ facet: 0, layer: 'floor', rule: 'malformed-operation', answer: 'ask' }],
    flags: [],
    rememberable: false,
    digest: sha256(textOf(operation)),
  }
  return safeApprover(operation) === 'none' ? withoutPerson(decision) : decision
}

// Even looking at a broken value may throw.
function safeApprover(operation: unknown): 'person' | 'none' {
  try {
    return approverOf(operation)
  } catch {
    return 'person'
  }
}

function textOf(operation: unknown): string {
  try {
    return canonicalJson(operation)
  } catch {
    return 'no JSON form'
  }
}
