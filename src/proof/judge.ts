import { type Finding, SEVERITIES } from '../kernel/finding.ts'
import { canonicalJson } from '../kernel/json.ts'
import type { ProofFacts } from './facts.ts'
import { RULES } from './findings/index.ts'
import type { FindingRule } from './findings/rule.ts'
import { type Verdict, verdict, withAcceptances } from './verdict.ts'

export interface Judgement extends Verdict {
  /** By severity, path, line and id; each once. */
  findings: Finding[]
}

/** Everything that follows from what was measured. Pure: the same facts give the same judgement. */
export function judge(facts: ProofFacts, rules: readonly FindingRule[] = RULES): Judgement {
  const found = new Map(rules.flatMap(rule => rule(facts)).map(finding => [canonicalJson(finding), finding]))
  const findings = withAcceptances([...found.values()], facts).sort(inOrder)
  return { findings, ...verdict(facts, findings) }
}

function inOrder(a: Finding, b: Finding): number {
  return (
    SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
    compare(a.path ?? '', b.path ?? '') ||
    (a.line ?? 0) - (b.line ?? 0) ||
    compare(a.id, b.id) ||
    compare(a.measured ?? '', b.measured ?? '') ||
    compare(a.said ?? '', b.said ?? '')
  )
}

// Not by locale: the order must be the same everywhere.
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
