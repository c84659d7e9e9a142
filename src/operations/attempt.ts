import * as z from 'zod'
import { abandon } from '../runs/abandon.ts'
import { ATTEMPT_STATUSES, Attempt } from '../runs/attempt.ts'
import { createAttempts } from '../runs/attempts.ts'
import { RunOwned } from '../runs/errors.ts'
import { callerName } from './caller-name.ts'
import { operation } from './operation.ts'
import { runRecords } from './run-house.ts'

const list = operation({
  name: 'attempt.list',
  summary: 'What runs set out to do that has an effect, and what became of it',
  when: 'Use to see which effects of a run are done, failed, under way or unknown.',
  effect: 'read',
  mcp: 'full',
  exitCodes: [3],
  input: z.strictObject({
    run: z.string().min(1).optional().describe('Only of this run, by id or alias'),
    status: z.enum(ATTEMPT_STATUSES).optional().describe('Only those that stand so'),
    limit: z.int().positive().max(1000).default(200).describe('Most that are listed, the newest ones'),
  }),
  output: () => z.strictObject({ items: z.array(Attempt()) }),
  examples: ['attempt list --status reserved', 'attempt list --run 1a2b3c4d --json'],
  run: async (app, { run, ...filter }) => {
    const { runs, store } = await runRecords(app)
    const attempts = createAttempts({ ...store, clock: app.clock, runs })
    return { items: attempts.find({ ...filter, ...(run !== undefined && { run: runs.get(run).id }) }) }
  },
  human: ({ items }, paint) =>
    items.length === 0
      ? 'Nothing was attempted.'
      : items
          .map(({ id, status, outcome, effect, reserved_at, paths }) => {
            const end = outcome === 'known' ? status : `${status} (${outcome})`
            return `${id}  ${end.padEnd(22)}  ${paint.dim(reserved_at.slice(0, 16))}  ${effect} ${paths.map(({ path }) => path).join(', ')}`.trimEnd()
          })
          .join('\n'),
})

const abandonOperation = operation({
  name: 'attempt.abandon',
  summary: 'Give up an attempt that is reserved and that nobody will settle; nothing is done or tried again',
  effect: 'write',
  personOnly: true,
  mcp: 'never',
  exitCodes: [3, 4, 8],
  positional: ['attempt', 'reason'],
  input: z.strictObject({
    attempt: z.string().min(1).describe('Id of the attempt'),
    reason: z.string().min(1).max(2000).describe('Why'),
    outcome: z.enum(['unknown', 'not-started']).default('unknown').describe('Whether you know that it was not begun'),
    force: z.boolean().default(false).describe('Also while a process drives its run'),
  }),
  output: Attempt,
  examples: ['attempt abandon att_01J00000000000000000000000 "the machine lost power"'],
  run: async (app, { attempt: id, force, ...how }) => {
    const { runs, store } = await runRecords(app)
    const attempts = createAttempts({ ...store, clock: app.clock, runs })
    const attempt = attempts.get(id)
    const { alias, owner } = runs.get(attempt.run)
    if (!force && owner && runs.isDriven(attempt.run)) throw new RunOwned(alias, owner)
    return abandon(attempt, { ...how, actor: callerName(app.env) }, { log: store.log, runs, attempts })
  },
  human: ({ id, outcome }) => `${id} is abandoned (${outcome}).`,
})

export const operations = [list, abandonOperation] as const
