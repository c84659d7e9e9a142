import * as z from 'zod'
import { OUTCOMES, RUN_STATUSES } from './lifecycle.ts'

/** Which process drives a run. */
export const Owner = () =>
  z.strictObject({
    machine: z.string(),
    boot: z.string(),
    pid: z.int(),
    pid_started_at: z.string(),
    surface: z.string(),
  })
export type Owner = z.infer<ReturnType<typeof Owner>>

/** One attempt at work, as it is kept and shown. */
export const Run = () =>
  z.strictObject({
    id: z.string(),
    alias: z.string(),
    project: z.string(),
    intent: z.string().min(1).max(4000),
    /** code, fix, build, plan, explain, ask; null for work that an outside worker does. */
    kind: z.string().nullable(),
    parent: z.string().nullable(),
    mission: z.string().nullable(),
    task: z.string().nullable(),
    workflow: z.string().nullable(),
    change: z.string().nullable(),
    phase: z.string().nullable(),
    agent: z.string().nullable(),
    host: z.string(),
    model: z.string().nullable(),
    mode: z.enum(['act', 'ask', 'plan', 'advisor']),
    status: z.enum(RUN_STATUSES),
    outcome: z.enum([...OUTCOMES.completed, ...OUTCOMES.failed, ...OUTCOMES.aborted]).nullable(),
    outcome_reason: z.string().nullable(),
    latest_checkpoint: z.int().nullable(),
    isolation: z.record(z.string(), z.json()).nullable(),
    fence: z.int().nonnegative(),
    owner: Owner().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
    completed_at: z.string().nullable(),
  })
export type Run = z.infer<ReturnType<typeof Run>>
