import type { App } from '../app.ts'
import type { BudgetSettings, WorkHouse } from '../engine/work/types.ts'
import { getSetting } from '../project/config/config.ts'
import { type Approvals, createApprovals } from '../runs/approvals.ts'
import { thisProcess } from '../runs/owner.ts'
import { createRuns, type Runs } from '../runs/runs.ts'
import type { Store } from '../store/store.ts'
import { isPersons } from './answering.ts'
import { callerName } from './caller-name.ts'
import { commandMs } from './command-time.ts'
import type { Call } from './operation.ts'
import { mcpFor } from './run-mcp.ts'

/** The records of runs of the project. */
export async function runRecords(app: App): Promise<{ store: Store; runs: Runs }> {
  const store = await app.projectStore()
  return { store, runs: createRuns({ ...store, clock: app.clock, project: app.project().id }) }
}

/** Seconds after which an unanswered ask is cancelled; null: never. */
function askTtl(app: App): number | null {
  return (getSetting(app.configPlaces(), 'approvals.ttl').value ?? null) as number | null
}

/** What runs of the project asked a person for. */
export async function approvalRecords(app: App): Promise<Approvals> {
  const { store, runs } = await runRecords(app)
  return createApprovals({ ...store, clock: app.clock, runs, ttl: askTtl(app) })
}

/** who calls, as the record names them. What a program calls itself is its own word. */
export function actorOf(app: App, { caller }: Call): string {
  return caller.role === 'person' ? callerName(app.env) : `agent:${caller.client ?? caller.surface}`
}

/** What a run needs of this house, for whoever called. */
export async function houseFor(app: App, call: Call): Promise<WorkHouse> {
  const [{ store, runs }, models, sandbox, leaks] = await Promise.all([runRecords(app), app.models(), app.sandbox(), app.canary()])
  const { processes, isolation, outputs } = sandbox
  const { surface } = call.caller
  return {
    project: app.project(),
    store,
    runs,
    models,
    processes,
    commandMs: commandMs(app),
    outputs,
    isolation,
    leaks,
    mcp: await mcpFor(app, sandbox),
    scene: async ({ root, mode, scope }) => {
      const { Scene, sceneFor } = await import('./policy-question.ts')
      return sceneFor(app, Scene.parse({ mode, ...(scope && { scope }) }), surface, root)
    },
    isPersons: approval => isPersons(app.folders.data, approval),
    askTtl: askTtl(app),
    keeper: async () => ({ ...(await app.keeping()), state: (await app.sandbox()).state }),
    place: async (run, on) => (await import('./run-place.ts')).placeOf(app, run, on),
    leavePlace: async run => void (await app.keeping()).places.end(run),
    budget: budgetSettings(app),
    limits: getSetting(app.configPlaces(), 'limits').value as object,
    fallback: getSetting(app.configPlaces(), 'engine.fallback').value as string[],
    owner: thisProcess(surface),
    actor: actorOf(app, call),
    clock: app.clock,
  }
}

/** What a person has set for every run, and for all runs of the project together. */
export function budgetSettings(app: App): BudgetSettings {
  const set = (key: string): number | null => (getSetting(app.configPlaces(), `budget.${key}`).value ?? null) as number | null
  const shared = { tokens: set('project.tokens'), cost_usd: set('project.cost_usd'), tool_calls: set('project.tool_calls') }
  return { tokens: set('tokens'), cost_usd: set('cost_usd'), tool_calls: set('tool_calls'), wall_s: set('wall_s'), project: shared }
}
