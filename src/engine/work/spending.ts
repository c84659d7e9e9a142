// What a run may spend, at its own node and at the project's above it.
import { requirePrice } from '../../models/resolve/require-price.ts'
import type { ModelSpec } from '../../models/resolve/spec.ts'
import { type Amounts, type Caps, DIMENSIONS, type Dimension } from '../../runs/budget/amounts.ts'
import { type Budgets, createBudgets } from '../../runs/budget/budgets.ts'
import { defaultEngineBudgets } from '../budgets.ts'
import type { EngineBudget } from '../types.ts'
import { shortWords } from './limit-words.ts'
import { type RunTime, startTime } from './time.ts'
import type { BudgetSettings, Hands, RunBudget, WorkInput } from './types.ts'

const MICRO = 1e6

export type RunLimits = EngineBudget & RunBudget

/** L-26: a flag stands over what the kind has; what is set for every run stands over both. */
export function budgetOf(
  { kind, budget }: Pick<WorkInput, 'kind' | 'budget'>,
  { tokens, tool_calls, cost_usd, wall_s }: BudgetSettings,
): RunLimits {
  const wanted = { ...defaultEngineBudgets[kind], ...budget }
  return {
    maxTokens: least(wanted.maxTokens, tokens) ?? wanted.maxTokens,
    maxToolCalls: least(wanted.maxToolCalls, tool_calls) ?? wanted.maxToolCalls,
    maxTurns: wanted.maxTurns,
    maxCostUsd: least(wanted.maxCostUsd, cost_usd),
    maxWallMs: least(wanted.maxWallMs, wall_s === null ? null : wall_s * 1000),
  }
}

/** L-59: which limits of a run a change would raise. */
export function raisedLimits(before: RunLimits, after: RunLimits): (keyof RunLimits)[] {
  const limits = Object.keys(after) as (keyof RunLimits)[]
  return limits.filter(limit => (after[limit] ?? Number.POSITIVE_INFINITY) > (before[limit] ?? Number.POSITIVE_INFINITY))
}

/** L-55: where money is limited, what a model costs must be known. */
export function checkPrice(spec: ModelSpec, { maxCostUsd }: RunBudget, { project }: BudgetSettings): void {
  requirePrice(spec, maxCostUsd ?? project.cost_usd)
}

/** L-56: the node of the project, shared by everything that asks a model in it. */
export function openProjectNode(
  budgets: Budgets,
  { project, settings, by }: { project: string; settings: BudgetSettings; by: string },
): string {
  const id = `project:${project}`
  const { tokens, tool_calls, cost_usd } = settings.project
  const caps = { ...some('tokens', tokens), ...some('toolCalls', tool_calls), ...some('costMicroUsd', microOf(cost_usd)) }
  budgets.open({ id, parent: null, caps }, by)
  return id
}

export function openRunNode({ house, claim }: Pick<Hands, 'house' | 'claim'>, budget: RunLimits): Budgets {
  const budgets = createBudgets({ ...house.store, clock: house.clock })
  const parent = openProjectNode(budgets, { project: house.project.id, settings: house.budget, by: house.actor })
  budgets.open({ id: claim.run, parent, caps: capsOf(budget) }, house.actor)
  return budgets
}

function capsOf({ maxTokens, maxToolCalls, maxTurns, maxCostUsd, maxWallMs }: RunLimits): Caps {
  return {
    tokens: maxTokens,
    toolCalls: maxToolCalls,
    ...some('turns', maxTurns),
    ...some('costMicroUsd', microOf(maxCostUsd)),
    ...some('wallMs', maxWallMs),
  }
}

const LIMITS: Readonly<Record<Dimension, keyof RunLimits>> = {
  tokens: 'maxTokens',
  costMicroUsd: 'maxCostUsd',
  toolCalls: 'maxToolCalls',
  turns: 'maxTurns',
  wallMs: 'maxWallMs',
}

/** Which limits of a run leave it nothing after what it has spent. */
export function usedUp(limits: RunLimits, settled: Amounts): (keyof RunLimits)[] {
  const caps = capsOf(limits)
  return DIMENSIONS.filter(dimension => (settled[dimension] ?? 0) >= (caps[dimension] ?? Number.POSITIVE_INFINITY)).map(
    dimension => LIMITS[dimension],
  )
}

/** Takes one tool call out of the budget, if one is left. */
export function takeCallAt(budgets: Budgets, run: string, onRefused: (reason: string) => void): boolean {
  const taken = budgets.take(run, { toolCalls: 1 })
  if (!taken.ok) onRefused(`tool_calls: ${shortWords(taken)}`)
  return taken.ok
}

/** Ends the run when its time is over. */
export function timeOf(budgets: Budgets, { house, claim }: Pick<Hands, 'house' | 'claim'>, onOver: (reason: string) => void): RunTime {
  return startTime(house.clock, budgets.available(claim.run, 'wallMs'), () => onOver('wall_ms: the time of the run is over.'))
}

function microOf(usd: number | null | undefined): number | undefined {
  return usd === null || usd === undefined ? undefined : Math.floor(usd * MICRO)
}

function some(dimension: keyof Caps, cap: number | null | undefined): Caps {
  return cap === null || cap === undefined ? {} : { [dimension]: cap }
}

function least(a: number | undefined, b: number | null): number | undefined {
  return b === null ? a : Math.min(a ?? b, b)
}
