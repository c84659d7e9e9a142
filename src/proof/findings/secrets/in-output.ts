import { type FindingRule, finding } from '../rule.ts'

/** A command printed a secret; what was kept of its output is redacted already. */
export const secretInOutput: FindingRule = ({ runs, gates }) => [
  ...runs.flatMap(({ name, n, stdout, stderr }) => said(`run ${name} ${n}`, { stdout, stderr })),
  ...gates.flatMap(({ definition, output }) => (output ? said(`gate ${definition.name}`, { output }) : [])),
]

function said(who: string, streams: Record<string, { secret: boolean }>): ReturnType<FindingRule> {
  return Object.entries(streams).flatMap(([stream, { secret }]) =>
    secret ? [finding('secret.in-output', { measured: `${who}, ${stream}` })] : [],
  )
}
