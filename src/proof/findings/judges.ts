import { judgeBreach, judgesOf, leaveOf, manifestKeysBreach, testBreach } from '../judges/protected.ts'
import { runsOf } from '../judges/run-colour.ts'
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

/** F-19: the command has judged something else than the tree. What it also rewrites before the work is its way of working. */
const rewritten: FindingRule = facts => {
  const judges = judgesOf(facts)
  const leave = leaveOf(facts.terms.scope)
  const always = new Set(runsOf(facts.runs, 'base').flatMap(run => run.rewrote ?? []))
  const now = new Set([...runsOf(facts.runs, 'result'), ...runsOf(facts.runs, 'vary')].flatMap(run => run.rewrote ?? []))
  return [...now]
    .filter(path => !always.has(path) && !leave.judges(path) && !leave.tests(path))
    .map(path =>
      finding(judges.classOf(path) === null ? 'judge.test-changed' : 'judge.verify-changed', {
        path,
        measured: 'rewritten while the command ran',
        hint: 'The work rewrites what judges it while it is judged. Take that out.',
      }),
    )
}

export const JUDGE_RULES: readonly FindingRule[] = [breaches(judgeBreach), breaches(manifestKeysBreach), breaches(testBreach), rewritten]
