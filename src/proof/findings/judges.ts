import { judgeBreach, judgesOf, leaveOf, manifestKeysBreach, testBreach } from '../judges/protected.ts'
import { type FindingRule, finding } from './rule.ts'

/** F-19: a judge that was changed is named and never put back in silence. */
const breaches =
  (breachOf: typeof judgeBreach): FindingRule =>
  facts => {
    const judges = judgesOf(facts)
    const leave = leaveOf(facts.terms.scope)
    return facts.changes.flatMap(change => {
      const breach = breachOf(change, judges, leave)
      if (breach === null) return []
      const { finding: id, keys, hint } = breach
      return [finding(id, { path: change.path, ...(keys && { measured: keys.join(', ') }), ...(hint !== undefined && { hint }) })]
    })
  }

export const JUDGE_RULES: readonly FindingRule[] = [breaches(judgeBreach), breaches(manifestKeysBreach), breaches(testBreach)]
