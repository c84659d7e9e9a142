// One call, from a model's words to its result: check → ask leave → prepare → reserve → act → settle. Each step is written down
// before the next; what cannot be written is not done.

import { asData } from '../context/foreign-text.ts'
import type { JsonObject } from '../kernel/json.ts'
import { canonicalJson, parseJson } from '../kernel/json.ts'
import { sha256 } from '../kernel/sha256.ts'
import { isToolRefused } from '../kernel/tool-refused.ts'
import type { Attempt, Attempts, PathEffect } from '../runs/attempts.ts'
import type { Claim } from '../runs/runs.ts'
import type { Blobs } from '../store/blobs.ts'
import type { Database } from '../store/database.ts'
import { type AnyTool, type Prepared, type Question, ToolError, type ToolOutput, type ToolScene } from './tool.ts'

/** The answer of policy, or of the person it asked. */
export interface Leave {
  verdict: 'allow' | 'deny'
  rule: string
  reason: string
  approval: string | null
  /** It changes nothing, whatever the tool could do. */
  readOnly: boolean
}

/** What was known of a call before this process began: its result, or nothing but that it may run. */
type Earlier = { ok: boolean; result: string }

export interface ExecutorOptions {
  tools: readonly AnyTool[]
  scene: ToolScene
  /** Judges what a call asks for, and waits for a person where one must decide. */
  decide: (question: Question, call: { id: string; name: string }) => Promise<Leave>
  db: Database
  attempts: Attempts
  claim: Claim
  blobs: Blobs
  redact: (text: string) => string
  now: () => number
  record: { write: (type: string, data: JsonObject) => void; at: () => { loop: number; turn: number } }
  /** Calls of an interrupted turn whose end is known. */
  earlier?: ReadonlyMap<string, Earlier>
  /** After an effect, before its result is told: puts back what left the scope, and says so. */
  afterEffect?: (tool: AnyTool) => Promise<string | null>
}

interface Call {
  name: string
  arguments: string
  callId: string
}

/** Carries out calls. A denial and an error that the model can mend are rejections with words for it. */
export function createExecutor(options: ExecutorOptions): (call: Call) => Promise<string> {
  const byName = new Map(options.tools.map(tool => [tool.name, tool]))
  return async call => {
    const earlier = options.earlier?.get(call.callId)
    if (earlier) return told({ ok: earlier.ok, text: earlier.result })
    const tool = byName.get(call.name)
    if (!tool) throw new ToolError(`There is no tool ${call.name}.`)
    return told(await carryOut(call, tool, options))
  }
}

async function carryOut(call: Call, tool: AnyTool, options: ExecutorOptions): Promise<ToolOutput> {
  const { record, db, blobs } = options
  const at = { ...record.at(), call: call.callId }
  const requested = { ...at, position: 0, name: call.name, arguments: blobs.keep(options.redact(call.arguments)) }
  const started = options.now()
  let attempt: Attempt | null = null
  // Redacted before it is marked, so that no secret can take the closing mark with it; and as one text, as the log does.
  const settle = (output: ToolOutput, foreign = tool.foreign === true): ToolOutput => {
    const clean = options.redact(output.text)
    const text = foreign ? options.redact(asData(clean, call.name)) : clean
    db.transaction(() => {
      if (attempt) options.attempts.settle(options.claim, attempt.id, { status: output.ok ? 'succeeded' : 'failed' })
      const { ok, exit = null } = output
      const sources = (output.sources ?? []).map(source => ({ ...source }))
      const duration = Math.round(options.now() - started)
      record.write('call.settled', {
        ...at,
        attempt: attempt?.id ?? null,
        ok,
        result: blobs.keep(text),
        duration_ms: duration,
        exit,
        sources,
      })
    })
    return { ...output, text }
  }
  let written = false
  const announce = (leave: Leave): void => {
    record.write('call.requested', requested)
    record.write('call.decided', { ...at, verdict: leave.verdict, rule: leave.rule, reason: leave.reason, approval: leave.approval })
    written = true
  }
  try {
    const input = checked(tool, call.arguments)
    const question = await tool.ask(input, options.scene)
    const leave = question ? await options.decide(question, { id: call.callId, name: call.name }) : FREE
    if (leave.verdict === 'deny') {
      db.transaction(() => announce(leave))
      return settle({ ok: false, text: `Error: not allowed: ${leave.reason}` }, false)
    }
    const prepared = await prepare(tool, input, options, { question, call })
    db.transaction(() => {
      announce(leave)
      attempt = leave.readOnly || tool.effect === 'read' ? null : reserve(call, tool, prepared.paths ?? [], options)
    })
    const output = await prepared.act()
    const swept = attempt ? await options.afterEffect?.(tool) : null
    return settle(swept ? { ...output, text: `${output.text}\n${swept}` } : output)
  } catch (error) {
    const refused = isToolRefused(error)
    if (!(error instanceof ToolError || refused)) throw error
    if (!written) record.write('call.requested', requested)
    const output = settle({ ok: false, text: `Error: ${error.message}` })
    if (refused) throw error
    return output
  }
}

const FREE: Leave = { verdict: 'allow', rule: 'no-effect', reason: 'It touches nothing.', approval: null, readOnly: true }

/** A path that shows only when the call is prepared (the new name of a moved file) is asked for like the others. */
async function prepare(
  tool: AnyTool,
  input: JsonObject,
  { scene, decide }: ExecutorOptions,
  { question, call }: { question: Question | null; call: Call },
): Promise<Prepared> {
  const prepared = await tool.prepare(input, scene)
  const asked = new Set(question?.paths?.map(({ path }) => path))
  const further = (prepared.paths ?? []).filter(({ path }) => !asked.has(path))
  if (further.length === 0) return prepared
  const leave = await decide(
    { verb: 'file.write', paths: further.map(({ path }) => ({ path, access: 'write' as const })) },
    { id: call.callId, name: call.name },
  )
  if (leave.verdict === 'deny') throw new ToolError(`not allowed: ${leave.reason}`)
  return prepared
}

function reserve(call: Call, tool: AnyTool, paths: PathEffect[], { attempts, claim, record }: ExecutorOptions): Attempt {
  const effect = tool.effect === 'write' ? 'write' : 'execute'
  const attempt = attempts.reserve(claim, {
    subject: `decision:${claim.run}:${call.callId}`,
    executor: 'qed',
    operation_digest: sha256(canonicalJson({ call: call.callId, name: call.name, arguments: call.arguments })),
    effect,
    paths,
  })
  record.write('call.reserved', { ...record.at(), call: call.callId, attempt: attempt.id, effect, paths: paths.map(path => ({ ...path })) })
  return attempt
}

function checked(tool: AnyTool, text: string): JsonObject {
  const value = text.trim() === '' ? {} : parseJson(text)
  if (value === undefined) throw new ToolError(`the arguments of ${tool.name} are not JSON. Send one object.`)
  const parsed = tool.input().safeParse(value)
  if (parsed.success) return parsed.data as JsonObject
  const issues = parsed.error.issues.map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`))
  throw new ToolError(`the arguments of ${tool.name} do not fit: ${issues.slice(0, 5).join('; ')}`)
}

// A loop tells a failure to the model with this word; what is kept has it already.
function told({ ok, text }: { ok: boolean; text: string }): string {
  if (ok) return text
  throw new ToolError(text.replace(/^Error: /, ''))
}
