import { type FindingRule, finding } from './rule.ts'

// What happened beside the tree: earlier tasks, destructive commands, who accepted what.

const regressions: FindingRule = ({ regressions }) =>
  regressions.filter(one => !one.green).map(({ task, command }) => finding('regress.task', { said: task, measured: command }))

const destructive: FindingRule = ({ surroundings }) =>
  (surroundings?.destructive ?? []).map(({ command, state }) =>
    finding(state === 'undeclared' ? 'destructive.undeclared' : 'destructive.step-missing', { measured: command }),
  )

const selfReview: FindingRule = ({ acceptances, author }) =>
  acceptances
    .filter(({ by }) => author !== null && by === author)
    .map(({ finding: id, path, by }) => finding('review.self', { path, said: `${id} by ${by}` }))

export const HISTORY_RULES: readonly FindingRule[] = [regressions, destructive, selfReview]
