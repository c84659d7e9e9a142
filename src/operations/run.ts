import * as z from 'zod'
import type { App } from '../app.ts'
import { COMMAND_KINDS, type EngineCommandKind } from '../engine/types.ts'
import type { Tell } from '../engine/work/types.ts'
import { work } from '../engine/work/work.ts'
import type { Event } from '../kernel/event.ts'
import { visibleLine } from '../kernel/visible.ts'
import { Approval } from '../runs/approval.ts'
import { createAttempts } from '../runs/attempts.ts'
import { NotResumable } from '../runs/errors.ts'
import { RUN_STATUSES } from '../runs/lifecycle.ts'
import { Run } from '../runs/run.ts'
import { beginProject } from './begin-project.ts'
import { type Call, operation } from './operation.ts'
import { abort } from './run-abort.ts'
import { egress } from './run-egress.ts'
import { approvalRecords, houseFor, runRecords } from './run-house.ts'
import { personPorts } from './run-person.ts'
import { exitOf, outcomeWord, Result, resultForPerson, resultView, toResult } from './run-result.ts'
import { undo } from './run-undo.ts'

const common = {
  model: z.string().min(1).optional().describe('An alias, <provider>/<model> or script:<file>; left out, the setting model'),
  scope: z.array(z.string().min(1)).default([]).describe('Patterns that may be written; with it no person is needed inside them'),
  verify: z.string().min(1).max(2000).optional().describe('Prove the result by this command, as qed prove does'),
  allow_command: z.array(z.string().min(1)).default([]).describe('Commands that may run unasked, such as "npm test"'),
  wait_for_approval: z.boolean().default(false).describe('With nobody at a terminal, wait for an answer by qed approve or qed reject'),
  max_tool_calls: z.int().nonnegative().optional().describe('Most tool calls'),
  max_tokens: z.int().nonnegative().optional().describe('Most tokens'),
}

const workOperation = operation({
  name: 'run.work',
  summary: 'Let a model work on one prompt in this project, every effect decided, recorded and resumable',
  when: 'Use to hand a change, a fix, a plan or an explanation to a model.',
  effect: 'execute',
  mcp: 'never',
  long: true,
  streams: true,
  progress: true,
  exitCodes: [3, 4, 5, 6, 7, 8, 9, 10, 130],
  positional: ['prompt'],
  input: z.strictObject({
    prompt: z.string().min(1).max(100_000).describe('What is to be done'),
    kind: z.enum(COMMAND_KINDS).default('code').describe('What kind of work it is'),
    isolated: z.boolean().default(false).describe('Write in a place of its own instead of the checkout'),
    ...common,
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
    return worked(app, input, call, null)
  },
  human: resultForPerson,
  view: resultView,
})

const resume = operation({
  name: 'run.resume',
  summary: 'Go on with a run whose process ended, without doing anything twice',
  when: 'Use after a crash, to let a run go on where it was.',
  effect: 'execute',
  mcp: 'never',
  long: true,
  streams: true,
  progress: true,
  exitCodes: [3, 4, 5, 6, 7, 8, 9, 10, 130],
  positional: ['run'],
  input: z.strictObject({ run: z.string().min(1).describe('Id or alias of the run'), ...common }),
  output: Result,
  examples: ['run resume 1a2b3c4d'],
  exitCode: ({ run }) => exitOf(run.outcome, run.outcome_reason),
  run: async (app, { run: id, ...input }, call) => {
    const { runs, store } = await runRecords(app)
    const run = runs.get(id)
    const given = interruptedTerms(run.id, store.log.list({ streams: [`run:${run.id}`] }, 1_000_000))
    const kind = (run.kind ?? 'code') as EngineCommandKind
    const scope = input.scope.length > 0 ? input.scope : given.scope
    const allow_command = input.allow_command.length > 0 ? input.allow_command : given.allow_command
    const wait_for_approval = input.wait_for_approval || given.wait_for_approval
    return worked(
      app,
      {
        prompt: run.intent,
        kind,
        ...input,
        ...given,
        scope,
        allow_command,
        wait_for_approval,
        model: input.model ?? given.model ?? run.model ?? undefined,
      },
      call,
      run,
    )
  },
  human: resultForPerson,
  view: resultView,
})

const list = operation({
  name: 'run.list',
  summary: 'Runs of this project, newest first',
  when: 'Use to find a run by what it was about.',
  effect: 'read',
  mcp: 'core',
  exitCodes: [3],
  input: z.strictObject({
    status: z.enum(RUN_STATUSES).optional().describe('Only runs in this state'),
    since: z.string().optional().describe('Only runs made since this time'),
    limit: z.int().positive().max(200).default(50).describe('Most that are listed'),
    offset: z.int().nonnegative().default(0).describe('Skip so many'),
  }),
  output: () => z.strictObject({ items: z.array(Run()) }),
  examples: ['run list', 'run list --status failed --json'],
  run: async (app, input) => ({ items: (await runRecords(app)).runs.list(input) }),
  human: ({ items }, paint) =>
    items.length === 0
      ? 'There is no run yet.'
      : items
          .map(
            run =>
              `${run.alias}  ${outcomeWord(run, paint)}  ${paint.dim(run.created_at.slice(0, 16))}  ${visibleLine(run.intent).slice(0, 60)}`,
          )
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
      events: z.array(z.strictObject({ seq: z.int(), at: z.string(), type: z.string(), data: z.record(z.string(), z.json()) })),
      approvals: z.array(Approval()),
      operation_attempts: z.array(z.looseObject({ id: z.string(), call: z.string(), status: z.string(), outcome: z.string() })),
    }),
  examples: ['run show 1a2b3c4d'],
  run: async (app, { run: id, after, limit }) => {
    const { runs, store } = await runRecords(app)
    const run = runs.get(id)
    const events = store.log.list({ streams: [`run:${run.id}`], after }, limit)
    return {
      run,
      events: events.map(({ seq, at, type, data }) => ({ seq, at, type, data })),
      approvals: (await approvalRecords(app)).list({ run: run.id }),
      operation_attempts: createAttempts({ ...store, clock: app.clock, runs })
        .list(run.id)
        .map(attempt => ({ ...attempt })),
    }
  },
  human: async ({ run, events }, paint) => {
    const { timeline } = await import('./run-view.ts')
    const head = `${paint.bold(run.alias)}  ${outcomeWord(run, paint)}  ${paint.dim(run.created_at.slice(0, 16).replace('T', ' '))}`
    const last = events.length === 0 ? [] : [paint.dim(`up to event ${events.at(-1)?.seq}; every detail: qed run show ${run.alias} --json`)]
    return [head, visibleLine(run.intent), '', ...timeline(events, paint), ...last].join('\n')
  },
})

export const operations = [workOperation, resume, list, get, egress, abort, undo] as const

type Common = {
  isolated: boolean
  model?: string | undefined
  verify?: string | undefined
  scope: string[]
  allow_command: string[]
  wait_for_approval: boolean
  max_tool_calls?: number | undefined
  max_tokens?: number | undefined
}

async function worked(
  app: App,
  input: { prompt: string; kind: EngineCommandKind } & Common,
  call: Call,
  resumed: Run | null,
): Promise<Result> {
  const { emit } = call
  const done = await work(
    await houseFor(app, call),
    {
      kind: input.kind,
      prompt: input.prompt,
      model: input.model ?? null,
      scope: input.scope.length > 0 ? input.scope : null,
      allowCommands: input.allow_command,
      verify: input.verify ?? null,
      isolated: input.isolated,
      budget: {
        ...(input.max_tool_calls !== undefined && { maxToolCalls: input.max_tool_calls }),
        ...(input.max_tokens !== undefined && { maxTokens: input.max_tokens }),
      },
    },
    {
      ...personPorts(app, call, input.wait_for_approval),
      verify: input.verify === undefined ? null : proofOf(app, input.verify, input, call),
      listen: emit ? event => void emit(event) : null,
      signal: call.signal,
    },
    resumed,
  )
  return toResult(done, { root: app.project().root, scoped: input.scope.length > 0 })
}

/** What the run was given, if its loop was broken off. One that came to its end would do its work again. */
function interruptedTerms(
  run: string,
  events: readonly Event[],
): Pick<Common, 'scope' | 'allow_command' | 'wait_for_approval' | 'isolated' | 'model'> {
  const last = events.findLast(({ type }) => type === 'loop.started' || type === 'loop.stopped')
  if (!last) throw new NotResumable(run, 'it never began')
  if (last.type === 'loop.stopped') throw new NotResumable(run, 'its work came to an end')
  const { scope, allow_commands, waits, place } = events.find(({ type }) => type === 'run.started')?.data ?? {}
  // It stays with the model that it had come to.
  const model = events.findLast(({ type }) => type === 'model.changed')?.data['to'] as string | undefined
  const given = { scope: (scope ?? []) as string[], allow_command: (allow_commands ?? []) as string[], wait_for_approval: waits === true }
  return { ...given, isolated: typeof place === 'string', model }
}

/** The base is fixed before the work begins: whatever the branch does later, this is what it is compared with. */
function proofOf(app: App, command: string, { scope, isolated }: Common, call: Call) {
  const base = headOf(app)
  return async ({ id }: Run, tell: Tell) => {
    const { verifyWork } = await import('./run-verify.ts')
    const place = isolated ? (await app.keeping()).places.get(id).path : null
    return verifyWork(app, { command, scope: scope.length > 0 ? scope : null, base: await base, place, signal: call.signal, tell })
  }
}

async function headOf(app: App): Promise<string> {
  const { git } = await app.keeping()
  return git.line(['rev-parse', '--verify', 'HEAD'])
}
