import * as z from 'zod'
import { InvalidInput, QedError } from '../kernel/errors.ts'
import { visible } from '../kernel/visible.ts'
import { APPROVAL_STATUSES, Approval, REMEMBER } from '../runs/approval.ts'
import { shortId } from '../runs/approval-table.ts'
import { answerPorts } from './answering.ts'
import { answerCommands, askText, targetOf } from './approval-words.ts'
import { callerName } from './caller-name.ts'
import { type Call, operation } from './operation.ts'
import { approvalRecords, runRecords } from './run-house.ts'

const id = z.string().min(1).describe('Id of the approval, or its last eight characters')

const list = operation({
  name: 'approval.list',
  summary: 'What runs asked a person for, and what was answered',
  when: 'Use to see which runs wait for a person.',
  effect: 'read',
  mcp: 'core',
  exitCodes: [3],
  input: z.strictObject({
    run: z.string().min(1).optional().describe('Only of this run, by id or alias'),
    status: z.enum(APPROVAL_STATUSES).optional().describe('Only those that stand so'),
  }),
  output: () => z.strictObject({ items: z.array(Approval()) }),
  examples: ['approval list --status pending'],
  run: async (app, { run, status }) => ({
    items: (await approvalRecords(app)).list({ status, ...(run !== undefined && { run: (await runRecords(app)).runs.get(run).id }) }),
  }),
  human: ({ items }, paint) =>
    items.length === 0
      ? 'Nothing was asked.'
      : items
          .map(
            approval =>
              `${shortId(approval.id)}  ${approval.status.padEnd(9)}  ${paint.dim(approval.requested_at.slice(0, 16))}  ${targetOf(approval)}`,
          )
          .join('\n'),
})

const get = operation({
  name: 'approval.get',
  summary: 'One ask: what would be done, why a person must decide, and the answer',
  when: 'Use before an ask is answered.',
  effect: 'read',
  mcp: 'full',
  exitCodes: [3],
  positional: ['id'],
  input: z.strictObject({ id }),
  output: Approval,
  examples: ['approval get 1a2b3c4d'],
  run: async (app, input) => (await approvalRecords(app)).get(input.id),
  human: (approval, paint) =>
    [
      askText(approval, paint.width),
      approval.status === 'pending'
        ? paint.careful(`waits for an answer: ${answerCommands(approval)}`)
        : `${approval.status} by ${approval.actor} at ${approval.resolved_at}${approval.reason === null ? '' : `: ${visible(approval.reason)}`}`,
    ].join('\n'),
})

const resolve = operation({
  name: 'approval.resolve',
  summary: 'Answer an ask of a run, once; the run that waits goes on at once',
  effect: 'write',
  personOnly: true,
  mcp: 'never',
  exitCodes: [3, 4, 8],
  positional: ['id', 'reason'],
  input: z.strictObject({
    id,
    resolution: z.enum(['approved', 'rejected', 'cancelled']).describe('The answer'),
    reason: z.string().min(1).max(2000).optional().describe('Why; after a no the model reads it'),
    remember: z
      .preprocess(word => (word === 'session' ? 'run' : word), z.enum(REMEMBER))
      .optional()
      .describe('How far a yes reaches; left out, this once'),
    wider: z.boolean().default(false).describe('Remember the wider of the offered rules'),
    digest: z.string().min(1).optional().describe('Digest of what was looked at; left out, it is shown and asked about'),
  }),
  output: Approval,
  examples: ['approve 1a2b3c4d', 'reject 1a2b3c4d "use the other file"'],
  run: async (app, { digest, ...answer }, call) => {
    const [approvals, ports] = await Promise.all([approvalRecords(app), answerPorts(app)])
    const approval = approvals.get(answer.id)
    const shown = digest ?? (await shownDigest(approval, answer.resolution, call))
    return approvals.resolve(approval.id, { ...answer, actor: callerName(app.env), digest: shown }, ports)
  },
  human: ({ id: done, status }) => `${shortId(done)} is ${status}.`,
})

class NotAnswered extends QedError {
  readonly code = 'denied'
  constructor(approval: string) {
    super(`The approval ${approval} still waits. Nothing was answered.`, {
      next: { command: `qed reject ${shortId(approval)} "<why>"`, why: 'That is how to say no.' },
    })
  }
}

/** What was shown is what is answered: a yes without a digest is asked for with the whole text. */
async function shownDigest(approval: Approval, resolution: string, { ask, columns }: Call): Promise<string> {
  if (resolution !== 'approved' || approval.status !== 'pending') return approval.operation_digest
  if (!ask) throw new InvalidInput('The answer', [{ path: '/digest', message: 'give the digest of what was looked at' }])
  const said = await ask(`${askText(approval, columns)}\nAllow it? [y/N] `)
  if (/^y(es)?$/i.test(said.trim())) return approval.operation_digest
  throw new NotAnswered(approval.id)
}

export const operations = [list, get, resolve] as const
