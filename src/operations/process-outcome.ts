import * as z from 'zod'
import { visible } from '../kernel/visible.ts'
import type { ProcessOutcome as Outcome } from '../sandbox/process/types.ts'
import type { Paint } from './paint.ts'

const Captured = () =>
  z.strictObject({ text: z.string(), bytes: z.int(), sha256: z.string(), cut: z.boolean(), file: z.string().optional() })
const Processes = () => z.array(z.strictObject({ pid: z.int(), command: z.string() }))

const Isolation = () =>
  z.strictObject({
    level: z.enum(['bubblewrap', 'worktree', 'process-group', 'none']),
    planned: z.string(),
    filesystem: z.enum(['read-only-root', 'host']),
    writable: z.array(z.string()),
    hidden: z.array(z.string()),
    network: z.enum(['off', 'host']),
    pid_namespace: z.boolean(),
    environment: z.enum(['filtered', 'inherited']),
    facets: z.record(z.string(), z.string()),
    probe: z.strictObject({ at: z.string(), tool: z.string(), checks: z.record(z.string(), z.enum(['pass', 'fail', 'skipped'])) }),
    degraded: z.string().nullable(),
    limitations: z.array(z.string()),
  })

export const ProcessOutcome = () =>
  z.strictObject({
    reason: z.enum(['exited', 'signalled', 'timeout', 'silent', 'output-limit', 'aborted', 'not-started']),
    exit: z.int().nullable(),
    signal: z.string().nullable(),
    stdout: Captured(),
    stderr: Captured(),
    started_at: z.string(),
    duration_ms: z.int(),
    ended: Processes(),
    escaped: Processes(),
    isolation: Isolation(),
    error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
  })
export type ProcessOutcome = z.infer<ReturnType<typeof ProcessOutcome>>

export function toOutput(outcome: Outcome): ProcessOutcome {
  return { ...outcome, isolation: { ...outcome.isolation, facets: { ...outcome.isolation.facets } } }
}

export function outcomeFailed({ reason, exit }: ProcessOutcome): boolean {
  return reason !== 'exited' || exit !== 0
}

/** What was printed, then how it ended; that it was not isolated is always said. */
export function outcomeForPerson({ stdout, stderr, reason, exit, signal, isolation, error }: ProcessOutcome, paint: Paint): string {
  const held = isolation.level === 'bubblewrap' ? paint.dim('isolated') : paint.bad('not isolated')
  const weak = isolation.degraded === null ? '' : `  ${paint.careful(isolation.degraded)}`
  const how = reason === 'exited' ? `exit ${exit}` : `${reason}${signal === null ? '' : ` (${signal})`}`
  return [
    ...[stdout.text, stderr.text].filter(Boolean).map(text => visible(text).replace(/\n$/, '')),
    ...(error ? [`${paint.bad(error.code)}  ${visible(error.message)}`] : []),
    `${exit === 0 ? paint.good(how) : paint.bad(how)}  ${held}${weak}`,
  ].join('\n')
}
