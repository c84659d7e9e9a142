import * as z from 'zod'
import { parseJson } from '../../kernel/json.ts'
import type { GateFact, KeptOutput, RunFact } from '../facts.ts'
import type { GateDefinition } from '../terms.ts'

/** How the command of a gate ended. */
export interface GateRun {
  exit: number | null
  reason: RunFact['reason']
  stdout: KeptOutput
}

export type GateScore = Pick<GateFact, 'outcome' | 'score' | 'critical' | 'findings'>

const FAILED: GateScore = { outcome: 'failed', score: 0, critical: [], findings: [] }

/** What shells answer when there was nothing to run. */
const NOT_RUN = new Set([126, 127])

const Said = () =>
  z.object({
    score: z.number().min(0).max(100),
    findings: z.array(z.object({ text: z.string(), critical: z.boolean().optional() })).default([]),
  })

/** F-22: what the command of a gate says about the tree. Whatever did not end by itself, or says nothing that can be read, failed;
 *  so did a gate with a score that did not exit with 0, because a program that failed half-way may have scored half of the tree. */
export function scoreGate({ score: how }: Pick<GateDefinition, 'score'>, { exit, reason, stdout }: GateRun): GateScore {
  if (reason !== 'exited' || exit === null || NOT_RUN.has(exit))
    return { ...FAILED, findings: [`The gate did not run: ${ended(reason, exit)}.`] }
  if (how === 'exit') return { outcome: 'scored', score: exit === 0 ? 100 : 0, critical: [], findings: [] }
  if (exit !== 0) return { ...FAILED, findings: [`The gate did not run to its end: ${ended(reason, exit)}.`] }
  const said = Said().safeParse(parseJson(lastLine(stdout.text)))
  if (!said.success) return { ...FAILED, findings: ['The last line of the gate is no score from 0 to 100.'] }
  const { score, findings } = said.data
  return {
    outcome: 'scored',
    score,
    critical: findings.filter(({ critical }) => critical).map(({ text }) => text),
    findings: findings.filter(({ critical }) => !critical).map(({ text }) => text),
  }
}

function ended(reason: RunFact['reason'], exit: number | null): string {
  return reason === 'exited' ? `exit ${exit}` : reason
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? ''
}
