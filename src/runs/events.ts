import * as z from 'zod'
import type { EventTypes } from '../kernel/event.ts'
import { KeptText } from '../kernel/kept-text.ts'

// Stream `run:<id>`: everything that a run did, each event written before the act that it announces. From these alone a run
// is rebuilt after a crash.

const at = { loop: z.int().positive(), turn: z.int().nonnegative() }
const call = { ...at, call: z.string() }
/** Who did it, where that was not the engine. */
const by = { actor: z.string().optional() }
/** Who answers, and what it calls the model; `model` is what a person calls it. */
const provider = { provider: z.string().optional(), provider_model: z.string().optional(), provider_host: z.string().optional() }
const Json = () => z.record(z.string(), z.json())

const Facts = () =>
  z.strictObject({
    text: z.string(),
    calls: z.array(z.strictObject({ name: z.string(), arguments: Json(), effect: z.enum(['read', 'write', 'execute']), ok: z.boolean() })),
    signals: z.array(z.strictObject({ status: z.int(), text: z.string() })),
  })

const Source = () => z.strictObject({ path: z.string(), sha256: z.string().nullable(), bytes: z.int() })

/** What was taken out of the budgets for a request; null: it was refused, and nothing was sent. Older logs do not tell. */
const Reservation = () => z.strictObject({ id: z.int(), tokens: z.number() }).nullable().optional()

const ToolCall = () => z.strictObject({ id: z.string(), name: z.string(), arguments: KeptText() })

export const runEvents: EventTypes = {
  'run.queued': () =>
    z.strictObject({
      intent: z.string(),
      kind: z.string().nullable(),
      mode: z.string(),
      model: z.string().nullable(),
      /** Everything that whoever goes on with the run needs to know of what it was asked for. */
      given: Json().optional(),
      ...by,
    }),
  'run.claimed': () =>
    z.strictObject({
      fence: z.int(),
      owner: Json(),
      /** Said to a run that goes on: what more is to be done, and all that holds from here on. */
      prompt: KeptText().optional(),
      given: Json().optional(),
      ...by,
    }),
  'run.started': () =>
    z.strictObject({
      kind: z.string().nullable(),
      model: z.string(),
      scripted: z.boolean(),
      strategy: z.string(),
      dialect: z.string(),
      budget: Json(),
      brief: z.string().nullable(),
      scope: z.array(z.string()).nullable(),
      allow_commands: z.array(z.string()),
      waits: z.boolean(),
      isolation: Json().nullable(),
      /** Files that stand in the system prompt. */
      instructions: z.array(Source()).default([]),
      ...provider,
      /** The folder it works in, where that is not the checkout. */
      place: z.string().nullable(),
    }),
  'run.resumed': () =>
    z.strictObject({
      loop: z.int(),
      turn: z.int(),
      recovered: z.array(Json()),
      /** Whether something more was said to it. */
      says: z.boolean().optional(),
      spent: Json().optional(),
      /** What holds of it from here on, as in `run.started`. */
      kind: z.string().optional(),
      model: z.string().optional(),
      scripted: z.boolean().optional(),
      dialect: z.string().optional(),
      budget: Json().optional(),
      scope: z.array(z.string()).nullable().optional(),
      ...provider,
      ...by,
    }),
  /** For the process that drives the run. */
  'abort.requested': () => z.strictObject({ reason: z.string(), ...by }),
  'run.stopped': () => z.looseObject({ status: z.string(), outcome: z.string(), reason: z.string().nullable(), ...by }),
  'loop.started': () =>
    z.strictObject({
      loop: z.int().positive(),
      system: KeptText(),
      user: KeptText(),
      tools: z.array(z.string()),
      budget: Json(),
      continues: z.boolean(),
      /** Which loop of its prompt it is; left out in runs from when there was one prompt. */
      round: z.int().positive().optional(),
    }),
  'loop.stopped': () => z.strictObject({ loop: z.int().positive(), outcome: Json() }),
  'turn.requested': () => z.strictObject({ ...at, messages: z.int(), digest: z.string(), estimated: z.int(), reservation: Reservation() }),
  'turn.received': () =>
    z.strictObject({
      ...at,
      stop: z.string(),
      content: KeptText(),
      calls: z.array(ToolCall()),
      tokens: z.number(),
      truncated: z.boolean(),
      rejected: z.array(z.strictObject({ id: z.string(), message: z.string() })),
      warnings: z.array(z.strictObject({ code: z.string(), message: z.string(), at: z.int() })).default([]),
      usage: Json().nullable(),
      retries: z.int(),
    }),
  'turn.retried': () => z.strictObject({ ...at, retry: z.int(), kind: z.string(), status: z.int().nullable(), wait_ms: z.number() }),
  'turn.failed': () =>
    z.strictObject({ ...at, code: z.string(), message: z.string(), partial: KeptText().nullable().default(null), retries: z.int() }),
  'call.requested': () => z.strictObject({ ...call, position: z.int(), name: z.string(), arguments: KeptText() }),
  'call.decided': () =>
    z.strictObject({ ...call, verdict: z.string(), rule: z.string(), reason: z.string(), approval: z.string().nullable() }),
  'call.reserved': () =>
    z.strictObject({
      ...call,
      attempt: z.string(),
      effect: z.enum(['write', 'execute']),
      paths: z.array(z.strictObject({ path: z.string(), before: z.string().nullable(), after: z.string().nullable() })),
    }),
  'call.settled': () =>
    z.strictObject({
      ...call,
      attempt: z.string().nullable(),
      ok: z.boolean(),
      result: KeptText(),
      duration_ms: z.number(),
      exit: z.int().nullable(),
      /** Files of which something stands in the result. */
      sources: z.array(Source()).default([]),
      ...by,
    }),
  'checkpoint.saved': () =>
    z.strictObject({
      ...at,
      label: z.enum(['turn', 'compaction']),
      /** Of a turn: the counters of its loop. */
      toolCallCount: z.int().optional(),
      tokensUsed: z.number().optional(),
      turnsUsed: z.int().optional(),
      facts: Facts().nullable(),
      /** What the turn added to the context: the reply, results of calls, and texts of QED's own. Of a compaction: all that the
       *  context holds after it, what was kept by its place before. */
      frames: z.array(z.looseObject({ from: z.enum(['reply', 'call', 'text', 'kept']) })),
      compaction: z
        .strictObject({ before: z.number(), after: z.number(), replaced: z.int(), digest: z.string() })
        .describe('Tokens before and after, how many frames were replaced, and their digest')
        .nullable(),
    }),
  'summary.requested': () => z.strictObject({ ...at, frames: z.int(), digest: z.string(), estimated: z.int(), reservation: Reservation() }),
  'summary.received': () =>
    z.strictObject({ ...at, text: KeptText().nullable(), refused: z.string().nullable(), tokens: z.number(), usage: Json().nullable() }),
  'snapshot.taken': () =>
    z.strictObject({ ...at, ref: z.string(), n: z.int(), tree: z.string(), by: z.enum(['run', 'other']), reason: z.string() }),
  'scope.reverted': () => z.strictObject({ ...at, paths: z.array(Json()), kept: z.string().nullable(), snapshot: z.string() }),
  'run.undone': () => z.strictObject({ to: z.string(), before: z.string(), after: z.string(), changes: z.int(), by: z.string() }),
  'approval.requested': () =>
    z.strictObject({ ...call, approval: z.string(), operation: z.string(), digest: z.string(), decision: z.int().optional() }),
  'approval.resolved': () =>
    z.strictObject({
      approval: z.string(),
      resolution: z.string(),
      actor: z.string(),
      reason: z.string().nullable(),
      remember: z.string().nullable(),
      rules: z.array(z.string()),
    }),
  /** What became of an operation outside a turn. */
  'operation.execution': () =>
    z.strictObject({
      status: z.string(),
      executorInvoked: z.boolean(),
      outcome: z.string(),
      actor: z.string(),
      reason: z.string(),
      approval: z.string().nullable(),
      attempt: z.string(),
    }),
  'question.asked': () => z.strictObject({ question: z.string() }),
  'question.answered': () => z.strictObject({ answered: z.boolean() }),
  /** Whether what the run started may have a secret, named and never shown. */
  'secret.decided': () => z.strictObject({ secret: z.string(), by: z.string(), verdict: z.string(), rule: z.string(), reason: z.string() }),
  'isolation.recorded': () => z.strictObject({ isolation: Json().nullable() }),
  'isolation.degraded': () => z.strictObject({ level: z.string(), what: z.string() }),
  'finding.recorded': () => z.strictObject({ finding: Json(), ...by }),
  'error.recorded': () => z.strictObject({ where: z.string(), message: z.string() }),
  'model.changed': () =>
    z.strictObject({
      from: z.string(),
      to: z.string(),
      why: z.string(),
      scripted: z.boolean(),
      ...provider,
      reservation: Reservation(),
    }),
}

/** Stream `budget`. */
export const budgetEvents: EventTypes = {
  'budget.changed': () => z.strictObject({ node: z.string(), before: Json(), caps: Json(), by: z.string() }),
  'budget.warning': () => z.strictObject({ node: z.string(), dimension: z.string(), used: z.number(), cap: z.number() }),
}
