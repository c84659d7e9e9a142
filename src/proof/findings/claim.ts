import type { ProofFacts } from '../facts.ts'
import { gatePassed } from '../judges/gate-passed.ts'
import { runsOf } from '../judges/run-colour.ts'
import { type FindingRule, finding } from './rule.ts'

/** A standalone guard may look at a tree in which nothing changed. */
const noOp: FindingRule = ({ terms, base, result }) => {
  if (result.tree !== base.tree) return []
  const isJustLooking = terms.brief === null && terms.command.kind === 'guard'
  return [
    finding(
      'claim.no-op',
      isJustLooking ? { severity: 'info', hint: 'Nothing changed since the base; only the command was measured.' } : {},
    ),
  ]
}

const stale: FindingRule = ({ result, tree_at_end }) =>
  tree_at_end !== null && tree_at_end !== result.tree ? [finding('claim.stale', { measured: tree_at_end })] : []

/** Numbers that were said and are not so. Nothing follows from them. */
const falseNumbers: FindingRule = ({ claim, runs, gates }) => {
  if (claim === null) return []
  const [run] = runsOf(runs, 'result')
  const said: [string, number | undefined, number | null | undefined][] = [
    ['exit', claim.exit, run?.exit],
    ...(['ran', 'passed', 'failed', 'skipped'] as const).map((key): [string, number | undefined, number | undefined] => [
      key,
      claim.tests?.[key],
      run?.tests?.[key],
    ]),
  ]
  return [
    ...said.flatMap(([what, claimed, measured]) =>
      claimed === undefined || measured === undefined || measured === null || claimed === measured
        ? []
        : [finding('claim.false', { said: `${what} ${claimed}`, measured: `${what} ${measured}` })],
    ),
    ...(claim.gates ?? [])
      .filter(name => !hasPassed(name, gates))
      .map(name => finding('claim.false', { said: `gate ${name} passed`, measured: 'it did not' })),
  ]
}

function hasPassed(name: string, gates: ProofFacts['gates']): boolean {
  return gates.some(gate => gate.definition.name === name && gatePassed(gate))
}

const briefChanged: FindingRule = ({ terms, brief_digest }) =>
  terms.brief !== null && terms.brief.digest !== brief_digest
    ? [finding('brief.changed', { said: terms.brief.digest, ...(brief_digest !== null && { measured: brief_digest }) })]
    : []

export const CLAIM_RULES: readonly FindingRule[] = [noOp, stale, falseNumbers, briefChanged]
