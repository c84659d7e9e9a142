// What a run may be told by whoever orders it, and what an interrupted one is known to have been told.
import { realpathSync } from 'node:fs'
import { join, relative } from 'node:path'
import * as z from 'zod'
import type { App } from '../app.ts'
import { isReadingKind } from '../engine/budgets.ts'
import type { EngineCommandKind } from '../engine/types.ts'
import { modelOfKind } from '../engine/wire/choose-model.ts'
import { readGiven } from '../engine/work/given.ts'
import { budgetOf, type RunLimits, raisedLimits, usedUp } from '../engine/work/spending.ts'
import { taskFolder } from '../engine/work/task-folder.ts'
import type { WorkInput } from '../engine/work/types.ts'
import type { Caller } from '../kernel/caller.ts'
import { ActorNotPerson, InvalidInput } from '../kernel/errors.ts'
import type { Event } from '../kernel/event.ts'
import { getSetting } from '../project/config/config.ts'
import type { Amounts } from '../runs/budget/amounts.ts'
import { createBudgets } from '../runs/budget/budgets.ts'
import { BudgetUsedUp, NothingToResume, NotResumable, RunAtItsEnd, RunUnknown } from '../runs/errors.ts'
import { eventsOf, hasOpenLoop, hasStarted, unheard } from '../runs/history.ts'
import { isTerminal } from '../runs/lifecycle.ts'
import { whyNotRebuilt } from '../runs/rebuildable.ts'
import type { Run } from '../runs/run.ts'
import type { Runs } from '../runs/runs.ts'
import { createBlobs } from '../store/blobs.ts'
import type { Store } from '../store/store.ts'
import { ownedPatterns, refuseFromFolder } from './owned-patterns.ts'
import { budgetSettings, runRecords } from './run-house.ts'

/** What can match nothing in the project is a slip of the pen, and is said before a model is paid. */
const ScopePattern = () =>
  z
    .string()
    .min(1)
    .refine(pattern => !pattern.startsWith('/') && !pattern.split('/').includes('..'), {
      error: 'name it from the root of the project on, such as src/**, without .. and without / in front',
    })

export const runTerms = {
  model: z
    .string()
    .min(1)
    .optional()
    .describe('An alias, <provider>/<model> or script:<file>; left out, the setting for this kind of work, or model'),
  scope: z.array(ScopePattern()).default([]).describe('Patterns or folders that may be written; with it no person is needed inside them'),
  verify: z.string().min(1).max(2000).optional().describe('Prove the result by this command, as qed prove does'),
  allow_command: z.array(z.string().min(1)).default([]).describe('Commands that may run unasked, such as "npm test"'),
  wait_for_approval: z.boolean().default(false).describe('With nobody at a terminal, wait for an answer by qed approve or qed reject'),
  max_tool_calls: z.int().nonnegative().optional().describe('Most tool calls'),
  max_tokens: z.int().nonnegative().optional().describe('Most tokens'),
  max_turns: z.int().nonnegative().optional().describe('Most turns'),
  max_cost: z.number().nonnegative().optional().describe('Most money, in US dollars; needs a model whose price is known'),
  max_seconds: z.number().nonnegative().optional().describe('Most seconds that it works; waiting for a person does not count'),
}

/** The same for a run that goes on: what is left out stays as it was. */
export const resumeTerms = {
  ...runTerms,
  model: runTerms.model.describe('Another model than it had; whatever is left out here stays as it was'),
}

type RunTerms = z.output<z.ZodObject<typeof runTerms>>
type Budget = WorkInput['budget']
type ResumeTerms = RunTerms & { prompt?: string | undefined }
type ResumedInput = WorkInput & { waits: boolean; further: string | null }

function toInput(app: App, input: Ordered): Omit<WorkInput, 'verify'> {
  const { prompt, kind, isolated, model = null, scope, allow_command, max_tool_calls, max_tokens, max_turns, max_cost, max_seconds } = input
  const budget = {
    maxToolCalls: max_tool_calls,
    maxTokens: max_tokens,
    maxTurns: max_turns,
    maxCostUsd: max_cost,
    maxWallMs: max_seconds === undefined ? undefined : max_seconds * 1000,
  }
  refuseFromFolder(scope, { root: app.project().root, cwd: app.cwd })
  const set = Object.entries(budget).filter(([, most]) => most !== undefined)
  const { root } = app.project()
  const owned = scope.length > 0 ? ownedPatterns(root, scope) : null
  return {
    prompt,
    kind,
    isolated,
    model,
    scope: owned,
    folder: taskFolder(owned, relative(root, realpathSync(app.cwd))),
    allowCommands: allow_command,
    budget: Object.fromEntries(set),
  }
}

type Ordered = { prompt: string; kind: EngineCommandKind; isolated: boolean } & RunTerms

export async function workInput(app: App, input: Ordered): Promise<WorkInput> {
  const { verify: command, isolated } = input
  refuseForReading(input)
  // A place of its own begins with a commit, as a proof does.
  const base = command !== undefined || isolated ? await baseOf(app) : ''
  const ordered = toInput(app, { ...input, model: input.model ?? ofKind(app, input.kind) })
  if (command !== undefined && ordered.scope !== null && !isolated) await refuseUncommitted(app, ordered.scope)
  return { ...ordered, verify: command === undefined ? null : { command, base } }
}

/** Said before a model is paid: the proof would refuse the work for what others had left there. */
async function refuseUncommitted(app: App, owned: readonly string[]): Promise<void> {
  const [proofs, { matchesAny }] = await Promise.all([app.proofs(), import('../proof/judges/matching.ts')])
  const isOwned = matchesAny(owned)
  const outside = await proofs.changes(path => !isOwned(path))
  if (outside.length > 0) throw new (await import('../proof/capture/errors.ts')).UncommittedOutside(outside, owned)
}

/** L-29: the model for this kind of work, where the person set one; else the one of the settings is meant. */
function ofKind(app: App, kind: EngineCommandKind): string | undefined {
  const ofCommand = (command: string) => (getSetting(app.configPlaces(), `engine.models.${command}`).value ?? null) as string | null
  return modelOfKind(kind, { env: app.env, ofCommand }) ?? undefined
}

/** How many of the newest runs are looked at for one that can go on. */
const MOST_LOOKED_AT = 50

/** The run of this name, or the newest one that can go on: with a further prompt each can, and one that its budget ended with a
 *  larger one. */
export async function runToGoOn(app: App, { run: name, prompt }: { run?: string | undefined; prompt?: string | undefined }): Promise<Run> {
  const { runs, store } = await runRecords(app)
  if (name !== undefined) return named(runs, name, prompt)
  const isMeant = (run: Run): boolean => prompt !== undefined || run.outcome === 'budget' || canGoOn(run, loopEvents(store, run))
  const found = runs.list({ limit: MOST_LOOKED_AT }).find(isMeant)
  if (!found) throw new NothingToResume()
  return found
}

/** A single word may have been meant as what is to be done. */
function named(runs: Runs, name: string, prompt: string | undefined): Run {
  try {
    return runs.get(name)
  } catch (error) {
    if (!(error instanceof RunUnknown) || prompt !== undefined) throw error
    throw new RunUnknown(name, {
      command: `qed run resume --prompt ${name}`,
      why: 'It says this word to the newest run; qed run list lists them.',
    })
  }
}

function loopEvents({ log }: Store, run: Run): Event[] {
  return eventsOf(log, run.id, ['run.queued', 'run.claimed', 'run.started', 'run.resumed', 'model.changed', 'loop.started', 'loop.stopped'])
}

/** One that came to its end would do its work again. One that was stopped did not, in the middle of a loop or while its result was
 *  proven; nor did one whose last loop the model provider broke off. */
function canGoOn({ status }: Run, events: readonly Event[]): boolean {
  return !isTerminal(status) || status === 'aborted' || hasOpenLoop(events) || unheard(events).length > 0
}

/** A plan and an explanation change nothing, so there is nothing to prove and no place to write in. */
function refuseForReading({ kind, verify, isolated }: Ordered): void {
  if (!isReadingKind(kind)) return
  const given = { verify: verify !== undefined, isolated }
  const issues = Object.entries(given).flatMap(([key, is]) =>
    is ? [{ path: `/${key}`, message: `${kind} changes nothing; leave it out` }] : [],
  )
  if (issues.length > 0) throw new InvalidInput('The flags', issues)
}

/** Everything that a run which goes on was given, but for what is said anew. */
export async function resumedInput(app: App, run: Run, { prompt, ...input }: ResumeTerms, { role }: Caller): Promise<ResumedInput> {
  const { store } = await runRecords(app)
  const events = loopEvents(store, run)
  // What its budget broke off has more to do without being told so.
  const isForMore = prompt === undefined && run.outcome === 'budget' && !canGoOn(run, events)
  const further = prompt ?? (isForMore ? GO_ON : null)
  if (further === null && !canGoOn(run, events)) throw new RunAtItsEnd(run)
  const { folder } = app.project()
  const gone = whyNotRebuilt(eventsOf(store.log, run.id), createBlobs(join(folder, 'blobs')))
  if (gone !== null) throw new NotResumable(run.id, gone)
  const given = readGiven(events, { folder })
  if (!given) throw new NotResumable(run.id, 'what it was asked for was not written down')
  if (given.isolated && hasStarted(events) && !(await hasPlace(app, run)))
    throw new NotResumable(run.id, 'its place was cleaned; what it made is in its snapshots')
  const kind = (run.kind ?? 'code') as EngineCommandKind
  const wanted = toInput(app, { ...input, prompt: given.prompt, isolated: given.isolated, kind })
  const budget = { ...given.budget, ...wanted.budget }
  const limits = (of: Budget): RunLimits => budgetOf({ kind, budget: of }, budgetSettings(app))
  if (role !== 'person') refuseRaised(run, limits(given.budget), limits(budget))
  if (isForMore) refuseUsedUp(run, limits(budget), createBudgets({ ...store, clock: app.clock }).state(run.id).settled)
  const { verify: command } = input
  return {
    ...wanted,
    further,
    model: wanted.model ?? newestModel(events) ?? run.model,
    scope: wanted.scope ?? given.scope,
    folder: given.folder,
    allowCommands: wanted.allowCommands.length > 0 ? wanted.allowCommands : given.allowCommands,
    budget,
    waits: input.wait_for_approval || given.waits,
    verify: command === undefined ? given.verify : { command, base: given.verify?.base ?? (await baseOf(app)) },
  }
}

/** L-59: what a run may spend is raised by a person only. */
function refuseRaised({ alias }: Run, before: RunLimits, after: RunLimits): void {
  const flags = raisedLimits(before, after).map(limit => FLAGS[limit])
  if (flags.length > 0)
    throw new ActorNotPerson(
      `Raising ${flags.join(' and ')} of a run`,
      `qed run resume ${alias} ${flags.map(flag => `${flag} <n>`).join(' ')}`,
    )
}

/** Nobody is told that there is more where there is none. */
function refuseUsedUp(run: Run, limits: RunLimits, settled: Amounts): void {
  const flags = usedUp(limits, settled).map(limit => FLAGS[limit])
  if (flags.length > 0) throw new BudgetUsedUp(run, flags)
}

const FLAGS = {
  maxToolCalls: '--max-tool-calls',
  maxTokens: '--max-tokens',
  maxTurns: '--max-turns',
  maxCostUsd: '--max-cost',
  maxWallMs: '--max-seconds',
} as const satisfies Record<keyof Budget, string>

async function hasPlace(app: App, { id }: Run): Promise<boolean> {
  const { places } = await app.keeping()
  return places.list().some(({ run }) => run === id)
}

const GO_ON = 'There is more budget now. Go on where you stopped.'

/** It stays with the model that it had come to. */
function newestModel(events: readonly Event[]): string | undefined {
  const newest = events.findLast(({ type, data }) => type === 'model.changed' || (type === 'run.resumed' && data['model'] !== undefined))
  return (newest?.data['to'] ?? newest?.data['model']) as string | undefined
}

/** Fixed before the work begins: whatever the branch does later, this is what the work is compared with. */
async function baseOf(app: App): Promise<string> {
  const [{ git }, { headOf }] = await Promise.all([app.keeping(), import('../sandbox/git/head.ts')])
  const head = await headOf(git, app.project().root)
  if (head === null) throw new (await import('../proof/capture/errors.ts')).NoBase('no-commit')
  return head
}
