import * as z from 'zod'
import { isolationRank, type Statement } from '../attest/statement.ts'

/** What a checker may ask for beyond a good signature. */
export const Requirements = () =>
  z.strictObject({
    /** At least this level for every run, with nothing degraded. */
    isolation: z.enum(['bubblewrap', 'worktree', 'process-group']).optional(),
    /** These gates were run and passed. */
    gates: z.array(z.string()).optional(),
    /** Nobody had to accept a review finding. */
    no_accepted_reviews: z.boolean().optional(),
    max_age_s: z.number().nonnegative().optional(),
    /** The exact text of the verify command. */
    command: z.string().optional(),
  })
export type Requirements = z.infer<ReturnType<typeof Requirements>>

type Predicate = Statement['predicate']
type Rule = (predicate: Predicate, asked: Requirements, now: number) => string | null

/** A machine's clock may be a little ahead of another's. */
const MOST_AHEAD_MS = 300_000

const RULES: Rule[] = [
  ({ environment: { isolation } }, { isolation: asked }) => {
    if (asked === undefined) return null
    if (isolation === null) return `isolation ${asked} is asked for and nothing ran`
    if (isolationRank(isolation.level) < isolationRank(asked)) return `isolation ${asked} is asked for and ${isolation.level} was in force`
    return isolation.degraded === null ? null : `isolation ${asked} is asked for and did not hold: ${isolation.degraded}`
  },
  ({ gates }, asked) => {
    const unmet = asked.gates?.find(name => !gates.some(gate => gate.name === name && gate.passed))
    return unmet === undefined ? null : `the gate ${unmet} was not passed`
  },
  ({ findings }, { no_accepted_reviews: asked }) => {
    const accepted = asked ? findings.find(finding => finding.accepted) : undefined
    return accepted ? `${accepted.id} was accepted by ${accepted.accepted?.by ?? 'someone'}` : null
  },
  ({ ended_at }, { max_age_s: most }, now) => {
    if (most === undefined) return null
    const age = now - Date.parse(ended_at)
    if (age < -MOST_AHEAD_MS) return `it says it is of ${ended_at}, which is in the future`
    return age > most * 1000 ? `it is of ${ended_at}, older than ${most} s` : null
  },
  ({ command: { text } }, { command: asked }) =>
    asked === undefined || asked === text ? null : `the command was ${JSON.stringify(text)}, not ${JSON.stringify(asked)}`,
]

/** The first requirement that is not met, in words; null where all are. Pure. */
export function unmet(predicate: Predicate, asked: Requirements, now: number): string | null {
  for (const rule of RULES) {
    const reason = rule(predicate, asked, now)
    if (reason !== null) return reason
  }
  return null
}
