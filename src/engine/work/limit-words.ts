import type { Dimension, Refusal } from '../../runs/budget/amounts.ts'

// What a budget refused, in words that name the limit, and which limit the words name.

interface Limit {
  flag: string
  /** The same for all runs of the project together, where there is such a setting. */
  setting: string | null
  amount: (n: number) => string
}

const counted = (one: string) => (n: number) => `${n} ${one}${n === 1 ? '' : 's'}`

const LIMITS: Readonly<Record<Dimension, Limit>> = {
  tokens: { flag: '--max-tokens', setting: 'budget.project.tokens', amount: counted('token') },
  costMicroUsd: { flag: '--max-cost', setting: 'budget.project.cost_usd', amount: n => `$${(n / 1e6).toFixed(4)}` },
  toolCalls: { flag: '--max-tool-calls', setting: 'budget.project.tool_calls', amount: counted('tool call') },
  turns: { flag: '--max-turns', setting: null, amount: counted('turn') },
  wallMs: { flag: '--max-seconds', setting: null, amount: n => `${(n / 1000).toFixed(1)} s` },
}

/** Why something was not begun, and by which limit. */
export function shortWords({ node, dimension, wanted, available }: Refusal): string {
  const { flag, setting, amount } = LIMITS[dimension]
  const isProject = node.startsWith('project:')
  const limit = (isProject ? setting : null) ?? flag
  return `${amount(wanted)} would be needed, and ${isProject ? 'the project' : 'the run'} has ${amount(available)} left (${limit}).`
}

const BY_CODE: Readonly<Record<string, string>> = {
  tokens: '--max-tokens',
  tool_calls: '--max-tool-calls',
  max_turns: '--max-turns',
  wall_ms: '--max-seconds',
}
const NAMED = Object.values(LIMITS).flatMap(({ flag, setting }) => [`(${flag})`, ...(setting === null ? [] : [`(${setting})`])])

/** The flag or setting that a run which its budget ended needs more of, by the reason `code: sentence` that it ended with. */
export function limitOf(reason: string): string {
  const named = NAMED.find(limit => reason.includes(limit))
  return named?.slice(1, -1) ?? BY_CODE[reason.slice(0, reason.indexOf(':'))] ?? '--max-tokens'
}
