import type { Severity } from '../../../kernel/finding.ts'
import type { ProofFacts } from '../../facts.ts'
import { matchesAny } from '../../judges/matching.ts'

/** An error, but only a question where the brief lets this test change. */
export function severityWithLeave(facts: ProofFacts): (path: string) => Severity {
  const allowed = matchesAny(facts.terms.scope.allow_tests)
  return path => (allowed(path) ? 'review' : 'error')
}
