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
  /** Where a person was asked: the decision was written down before they were. */
  approval: string | null
  /** It changes nothing, whatever the tool could do. */
  readOnly: boolean
  /** A path at which something else stands now than when it was judged; null: none. */
  changed: () => string | null
}

/** A call whose leave is asked for. */
export interface AskingCall {
  id: string
  name: string
  /** The beginning of what it would write or send, for a person. */
  preview: () => string | null
  /** The loop and turn that it belongs to. */
  at: () => { loop: number; turn: number }
  /** Writes down that a person is asked, and tells the events. */
  announce: (asked: Pick<Leave, 'rule' | 'reason'> & { approval: string }) => { requested: number; decided: number }
}

/** What was known of a call before this process began: its result, or nothing but that it may run. */
type Earlier = { ok: boolean; result: string }

export interface ExecutorOptions {
  tools: readonly AnyTool[]
  scene: ToolScene
  /** Judges what a call asks for, and waits for a person where one must decide. */
  decide: (question: Question, call: AskingCall) => Promise<Leave>
  db: Database
  attempts: Attempts
  claim: Claim
  blobs: Blobs
  redact: (text: string) => string
  now: () => number
  record: { write: (type: string, data: JsonObject) => number; at: () => { loop: number; turn: number } }
  /** Calls of an interrupted turn whose end is known. */
  earlier?: ReadonlyMap<string, Earlier>
  /** Before an effect is reserved: saves what it could change. Null: it could change anything. Throws where it cannot be saved. */
  beforeEffect?: (paths: readonly string[] | null) => Promise<void>
  /** After a command, before its result is told: puts back what left the scope, and says so. */
  afterCommand?: () => Promise<string | null>
}

interface Call {
  name: string
  arguments: string
  callId: string
}

/** Carries out calls. A denial and an error that the model can mend are rejections with words for it. */
export function createExecutor(options: ExecutorOptions): (call: Call) => Promise<string> {
  const byName = new Map(options.tools.map(tool => [tool.name, tool]))
  const interrupted = options.record.at().turn
  return async call => {
    // Ids are unique in their turn only: a later call of the same name is another one.
    const earlier = options.record.at().turn === interrupted ? options.earlier?.get(call.callId) : undefined
    if (earlier) return told({ ok: earlier.ok, text: earlier.result })
    const tool = byName.get(call.name)
    if (!tool) throw new ToolError(`There is no tool ${call.name}.`)
    return told(await carryOut(call, tool, options))
  }
}

async function carryOut(call: Call, tool: AnyTool, options: ExecutorOptions): Promise<ToolOutput> {
  const { record, db, blobs } = options
  const at = { ...record.at(), call: call.callId }
  const written = announcing(call, options)
  let started = options.now()
  let attempt: Attempt | null = null
  // Redacted before it is marked, so that no secret can take the closing mark with it; and as one text, as the log does.
  // What QED has to say itself stands behind it.
  const settle = (output: ToolOutput, { foreign = tool.foreign === true, note = '' } = {}): ToolOutput => {
    const clean = options.redact(output.text)
    const text = options.redact(`${foreign ? asData(clean, call.name) : clean}${note}`)
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
  try {
    const input = checked(tool, call.arguments)
    const question = await tool.ask(input, options.scene)
    const asking: AskingCall = {
      id: call.callId,
      name: call.name,
      at: record.at,
      preview: () => (tool.preview ? options.redact(beginning(tool.preview(input))) : null),
      announce: asked => written.decided({ ...asked, verdict: 'ask' }),
    }
    const leave = question ? await options.decide(question, asking) : FREE
    if (leave.verdict === 'deny') {
      db.transaction(() => written.once(leave))
      throw new Refusal(`not allowed: ${leave.reason}`)
    }
    // Looked at before anything is read and again before anything is done: preparing may take its time.
    refuseChanged(leave)
    const prepared = await prepare(tool, input, options, { question, asking, written })
    const hasEffect = !leave.readOnly && tool.effect !== 'read'
    if (hasEffect) await options.beforeEffect?.(tool.effect === 'write' ? (prepared.paths ?? []).map(({ path }) => path) : null)
    // What a person took to answer is not time of the call.
    started = options.now()
    db.transaction(() => {
      written.once(leave)
      attempt = hasEffect ? reserve(call, tool, { paths: prepared.paths ?? [], leave }, options) : null
    })
    refuseChanged(leave)
    if (prepared.further) refuseChanged(prepared.further)
    const output = await prepared.act()
    const swept = hasEffect && tool.effect === 'execute' ? await options.afterCommand?.() : null
    return settle(output, swept ? { note: `\n${swept}` } : {})
  } catch (error) {
    const refused = isToolRefused(error)
    if (!(error instanceof ToolError || refused)) throw error
    written.requested()
    const output = settle(
      { ok: false, text: `Error: ${error.message}` },
      { foreign: tool.foreign === true && !refused && !(error instanceof Refusal) },
    )
    if (refused) throw error
    return output
  }
}

/** A no of policy or of a person: QED's own words, also where what the tool gives is foreign. */
class Refusal extends ToolError {}

function refuseChanged({ changed }: Leave): void {
  const path = changed()
  if (path !== null) throw new Refusal(`facts-changed: ${path} is not what it was when this was decided. Look at it again.`)
}

const MOST_PREVIEW = { lines: 20, characters: 2_000 }

function beginning(text: string): string {
  const lines = text.split('\n')
  const shown = lines.slice(0, MOST_PREVIEW.lines).join('\n').slice(0, MOST_PREVIEW.characters)
  return shown.length < text.length ? `${shown}\n[${text.length - shown.length} more characters]` : shown
}

type Decided = Pick<Leave, 'rule' | 'reason' | 'approval'> & { verdict: string }

/** What is written before a call is done: that it was asked for, once, and every decision about it. */
function announcing(call: Call, { record, blobs, redact }: ExecutorOptions) {
  const at = { ...record.at(), call: call.callId }
  let seq: number | null = null
  const requested = (): number =>
    (seq ??= record.write('call.requested', { ...at, position: 0, name: call.name, arguments: blobs.keep(redact(call.arguments)) }))
  const decided = ({ verdict, rule, reason, approval }: Decided): { requested: number; decided: number } => ({
    requested: requested(),
    decided: record.write('call.decided', { ...at, verdict, rule, reason, approval }),
  })
  return {
    requested,
    decided,
    /** A decision that a person was asked about stands there already. */
    once: (leave: Leave): void => {
      if (leave.approval === null) decided(leave)
    },
  }
}

const FREE: Leave = {
  verdict: 'allow',
  rule: 'no-effect',
  reason: 'It touches nothing.',
  approval: null,
  readOnly: true,
  changed: () => null,
}

/** A path that shows only when the call is prepared (the new name of a moved file) is asked for like the others. */
async function prepare(
  tool: AnyTool,
  input: JsonObject,
  { scene, decide }: ExecutorOptions,
  { question, asking, written }: { question: Question | null; asking: AskingCall; written: ReturnType<typeof announcing> },
): Promise<Prepared & { further: Leave | null }> {
  const prepared = await tool.prepare(input, scene)
  const asked = new Set(question?.paths?.map(({ path }) => path))
  const further = (prepared.paths ?? []).filter(({ path }) => !asked.has(path))
  if (further.length === 0) return { ...prepared, further: null }
  const leave = await decide({ verb: 'file.write', paths: further.map(({ path }) => ({ path, access: 'write' as const })) }, asking)
  written.once(leave)
  if (leave.verdict === 'deny') throw new Refusal(`not allowed: ${leave.reason}`)
  return { ...prepared, further: leave }
}

function reserve(
  call: Call,
  tool: AnyTool,
  { paths, leave }: { paths: PathEffect[]; leave: Leave },
  { attempts, claim, record }: ExecutorOptions,
): Attempt {
  const effect = tool.effect === 'write' ? 'write' : 'execute'
  const attempt = attempts.reserve(claim, {
    subject: leave.approval === null ? `decision:${claim.run}:${call.callId}` : `approval:${leave.approval}`,
    call: call.callId,
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
