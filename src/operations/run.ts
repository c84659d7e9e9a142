import * as z from 'zod'
import type { App } from '../app.ts'
import { COMMAND_KINDS } from '../engine/types.ts'
import type { Resumed, WorkInput } from '../engine/work/types.ts'
import { work } from '../engine/work/work.ts'
import { visibleLine } from '../kernel/visible.ts'
import { Approval } from '../runs/approval.ts'
import { Attempt } from '../runs/attempt.ts'
import { createAttempts } from '../runs/attempts.ts'
import { checkpointsOf } from '../runs/history.ts'
import { Run } from '../runs/run.ts'
import { meantState, STATE_WORDS, stateWord } from '../runs/state-words.ts'
import { TimelineEvent, timelineOf } from '../runs/timeline.ts'
import { beginProject } from './begin-project.ts'
import { cut } from './fit-record.ts'
import { type Call, operation } from './operation.ts'
import { abort } from './run-abort.ts'
import { egress } from './run-egress.ts'
import { approvalRecords, houseFor, runRecords } from './run-house.ts'
import { personPorts } from './run-person.ts'
import { exitOf, outcomeWord, Result, resultForPerson, resultView, toResult } from './run-result.ts'
import { retryCheck } from './run-retry.ts'
import { resumedInput, resumeTerms, runTerms, runToGoOn, workInput } from './run-terms.ts'
import { undo } from './run-undo.ts'
import type { VerifyRequest } from './run-verify.ts'

const prompt = z
  .string()
  .min(1, 'say what is to be done')
  .max(100_000, 'at most 100000 characters; put the rest into a file of the project, and name that')

const GO_ON = { operation: 'run.resume', command: 'qed run resume', why: 'It goes on where it was stopped.' }

const workOperation = operation({
  name: 'run.work',
  summary: 'Let a model work on one prompt in this project, every effect decided, recorded and resumable',
  when: 'Use to hand a change, a fix, a plan or an explanation to a model.',
  effect: 'execute',
  mcp: 'never',
  long: true,
  afterTimeout: GO_ON,
  streams: true,
  progress: true,
  exitCodes: [3, 4, 5, 6, 7, 8, 9, 10, 130],
  positional: ['prompt'],
  texts: ['prompt'],
  input: z.strictObject({
    prompt: prompt.describe('What is to be done; - reads it from stdin'),
    kind: z.enum(COMMAND_KINDS).default('code').describe('What kind of work it is'),
    isolated: z.boolean().default(false).describe('Write in a place of its own instead of the checkout'),
    ...runTerms,
  }),
  output: Result,
  examples: [
    "code \"add a --quiet flag\" --scope 'src/**' --verify 'npm test'",
    'code "rename sum to add"',
    "fix \"the failing test\" --scope 'src/**' --verify 'npm test'",
    'fix "the failing test" --scope \'src/**\' --model script:demo.jsonc --stream',
    'build "a parser for INI files" --scope \'src/**,test/**\' --max-tool-calls 60',
    'plan "split the store" --model anthropic/claude-sonnet-4-5',
    'explain "how are events stored?"',
    'explain "how are events stored?" --json',
  ],
  exitCode: ({ run }) => exitOf(run.outcome, run.outcome_reason),
  run: async (app, input, call) => {
    // Whoever hands over work wants it done here: a repository that QED does not know yet is no reason to send them away.
    if (!app.findProject()) await beginProject(app, { least: true })
    return worked(app, await workInput(app, input), { call, waits: input.wait_for_approval, resumed: null })
  },
  human: resultForPerson,
  view: resultView,
})

const resume = operation({
  name: 'run.resume',
  summary: 'Go on with a run: where it was broken off, without doing anything twice, or with a further prompt',
  when: 'Use after a crash or Ctrl-C, or to say what more is to be done to a run that knows its work.',
  effect: 'execute',
  mcp: 'never',
  long: true,
  afterTimeout: GO_ON,
  streams: true,
  progress: true,
  exitCodes: [3, 4, 5, 6, 7, 8, 9, 10, 130],
  positional: ['run', 'prompt'],
  texts: ['prompt'],
  input: z.strictObject({
    run: z
      .string()
      .min(1)
      .optional()
      .describe('Id or alias of the run; left out, the newest one that was broken off or ran out of budget, or with a prompt the newest'),
    prompt: prompt.optional().describe('What more is to be done; it takes the place of what was broken off'),
    ...resumeTerms,
  }),
  output: Result,
  examples: [
    'run resume',
    'run resume 1a2b3c4d',
    'run resume "now the docs, too"',
    'run resume 1a2b3c4d "now the docs, too"',
    'run resume 1a2b3c4d --max-tool-calls 60',
  ],
  exitCode: ({ run }) => exitOf(run.outcome, run.outcome_reason),
  run: async (app, wanted, call) => {
    const { run: id, ...input } = asMeant(wanted)
    const run = await runToGoOn(app, { run: id, ...input })
    const { waits, further, ...given } = await resumedInput(app, run, input, call.caller)
    return worked(app, given, { call, waits, resumed: { run, further } })
  },
  human: resultForPerson,
  view: resultView,
})

/** Words that can be no run's name are what is said to the newest one. */
function asMeant<T extends { run?: string | undefined; prompt?: string | undefined }>(input: T): T {
  const { run, prompt: said } = input
  return run === undefined || said !== undefined || /^[\w-]+$/.test(run) ? input : { ...input, run: undefined, prompt: run }
}

/** To the minute, in UTC, as the log has it. */
function minuteOf({ created_at }: Run): string {
  return `${created_at.slice(0, 16).replace('T', ' ')} UTC`
}

const list = operation({
  name: 'run.list',
  summary: 'Runs of this project, newest first',
  when: 'Use to find a run by what it was about.',
  effect: 'read',
  mcp: 'core',
  exitCodes: [3],
  input: z.strictObject({
    status: z
      .preprocess(stateWord, z.enum(STATE_WORDS))
      .optional()
      .describe('Only runs in this state; its number of RPC is understood too'),
    since: z.string().optional().describe('Only runs made since this time'),
    limit: z.int().positive().max(200).default(50).describe('Most that are listed'),
    offset: z.int().nonnegative().default(0).describe('Skip so many'),
  }),
  output: () => z.strictObject({ items: z.array(Run()) }),
  examples: ['run list', 'run list --status failed --json'],
  run: async (app, { status, ...input }) => ({
    items: (await runRecords(app)).runs.list({ ...input, ...(status && meantState(status)) }),
  }),
  human: ({ items }, paint) =>
    items.length === 0
      ? 'There is no such run yet.'
      : items
          .map(run => {
            const word = outcomeWord(run, paint)
            const gap = ' '.repeat(Math.max(2, 15 - (run.outcome ?? run.status).length))
            return `${run.alias}  ${word}${gap}${paint.dim(minuteOf(run))}  ${cut(visibleLine(run.intent), Math.max(20, paint.width - 50))}`
          })
          .join('\n'),
})

const get = operation({
  name: 'run.get',
  summary: 'One run with everything that happened in it',
  when: 'Use to see what a run did and why it ended.',
  effect: 'read',
  mcp: 'core',
  exitCodes: [3],
  positional: ['run'],
  input: z.strictObject({
    run: z.string().min(1).describe('Id or alias of the run'),
    after: z.int().nonnegative().default(0).describe('Only events after this one'),
    limit: z.int().positive().max(1000).default(200).describe('Most events'),
  }),
  output: () =>
    z.strictObject({
      run: Run(),
      events: z.array(TimelineEvent()),
      next: z.int().optional().describe('There are more events after this one'),
      checkpoints: z.array(z.strictObject({ seq: z.int(), at: z.string(), label: z.string(), loop: z.int(), turn: z.int() })),
      approvals: z.array(Approval()),
      operation_attempts: z.array(Attempt()),
    }),
  examples: ['run get 1a2b3c4d'],
  run: async (app, { run: id, after, limit }) => {
    const { runs, store } = await runRecords(app)
    const run = runs.get(id)
    const events = store.log.list({ streams: [`run:${run.id}`], after }, limit)
    return {
      run,
      events: events.flatMap(timelineOf),
      ...(events.length === limit && { next: events.at(-1)?.seq }),
      checkpoints: checkpointsOf(store.log, run.id),
      approvals: (await approvalRecords(app)).list({ run: run.id }),
      operation_attempts: createAttempts({ ...store, clock: app.clock, runs }).list(run.id),
    }
  },
  human: async ({ run, events, next }, paint) => {
    const { timeline } = await import('./run-view.ts')
    const head = `${paint.bold(run.alias)}  ${outcomeWord(run, paint)}  ${paint.dim(minuteOf(run))}`
    const last = next === undefined ? `every detail: qed run get ${run.alias} --json` : `More: qed run get ${run.alias} --after ${next}`
    return [head, visibleLine(run.intent), '', ...timeline(events, paint), paint.dim(last)].join('\n')
  },
})

export const operations = [workOperation, resume, list, get, egress, abort, undo, retryCheck] as const

async function worked(
  app: App,
  input: WorkInput,
  { call, waits, resumed }: { call: Call; waits: boolean; resumed: Resumed | null },
): Promise<Result> {
  const { emit } = call
  const done = await work(
    await houseFor(app, call),
    input,
    {
      ...personPorts(app, call, waits),
      verify: input.verify && proofOf(app, { ...input.verify, scope: input.scope, isolated: input.isolated }),
      listen: emit ? event => void emit(event) : null,
      signal: call.signal,
    },
    resumed,
  )
  const changed = async () => done.changed ?? (await import('./run-saved.ts')).changedBy(app, done.run)
  const saved = async () => (await import('./run-saved.ts')).savedBy(app, done.run)
  return toResult(done, { root: app.project().root, scope: input.scope, changed, saved })
}

function proofOf(app: App, { isolated, ...terms }: Pick<VerifyRequest, 'command' | 'base' | 'scope'> & { isolated: boolean }) {
  return async ({ id }: Run, at: Pick<VerifyRequest, 'tell' | 'signal'>) => {
    const { verifyWork } = await import('./run-verify.ts')
    const place = isolated ? (await app.keeping()).places.get(id).path : null
    return verifyWork(app, { ...terms, place, ...at })
  }
}
