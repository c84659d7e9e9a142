import * as z from 'zod'
import { ATTEMPT_STATUSES, Attempt } from '../runs/attempt.ts'
import { createAttempts } from '../runs/attempts.ts'
import { checkRetry, RETRY_CODES, RETRY_KINDS } from '../runs/retry.ts'
import { operation } from './operation.ts'
import { approvalRecords, runRecords } from './run-house.ts'

const Kind = z.enum(RETRY_KINDS)

export const retryCheck = operation({
  name: 'run.retry-check',
  summary: 'Whether an approved operation may be tried once more, and why not; changes nothing',
  when: 'Use to see whether something that a person allowed was done, failed, or may be tried again.',
  effect: 'read',
  mcp: 'full',
  exitCodes: [3],
  positional: ['approval'],
  input: z.strictObject({
    approval: z.string().min(1).describe('Id of the approval, or its last eight characters'),
    policy: z
      .union([Kind, z.strictObject({ kind: Kind, max_attempts: z.int().positive() })], {
        error: `expected one of ${RETRY_KINDS.join(', ')}, or {"kind": one of them, "max_attempts": a number from 1 on}`,
      })
      .default('never')
      .describe(
        'After what another attempt is allowed: never, after-abandoned, after-failure, after-failure-or-abandoned; or {kind, max_attempts}',
      ),
  }),
  output: () =>
    z.strictObject({
      allowed: z.boolean(),
      reason_code: z.enum(RETRY_CODES),
      reason: z.string(),
      evaluated_attempts: z.int(),
      retryable_statuses: z.array(z.enum(ATTEMPT_STATUSES)),
      latest: Attempt().nullable(),
      active: Attempt().nullable(),
    }),
  examples: ['run retry-check 1a2b3c4d', 'run retry-check 1a2b3c4d --policy after-failure'],
  run: async (app, { approval: id, policy }) => {
    const approval = (await approvalRecords(app)).get(id)
    const { runs, store } = await runRecords(app)
    const attempts = createAttempts({ ...store, clock: app.clock, runs }).list(approval.run)
    return checkRetry(
      approval,
      attempts.filter(({ subject }) => subject === `approval:${approval.id}`),
      policy,
    )
  },
  human: ({ allowed, reason_code, reason }, paint) =>
    `${allowed ? paint.good('allowed') : paint.careful('not allowed')}  ${reason} (${reason_code})`,
})
