// One call, from a model's words to its result: check → ask leave → prepare → reserve → act → settle. Each step is written down
// before the next; what cannot be written is not done.

import { asData } from '../context/foreign-text.ts'
import { CallLeftOpen } from '../kernel/call-left-open.ts'
import { QedError } from '../kernel/errors.ts'
import { FailedResult } from '../kernel/failed-result.ts'
import type { JsonObject } from '../kernel/json.ts'
import { canonicalJson } from '../kernel/json.ts'
import { sha256 } from '../kernel/sha256.ts'
import { isToolRefused, ToolRefused } from '../kernel/tool-refused.ts'
import type { Attempt, PathEffect } from '../runs/attempt.ts'
import type { Attempts } from '../runs/attempts.ts'
import type { Recorder } from '../runs/recorder.ts'
import type { Claim } from '../runs/runs.ts'
import type { Blobs } from '../store/blobs.ts'
import { readArguments } from './arguments.ts'
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
  /** Takes one call out of the budget, in the caller's transaction. False: none is left, and whoever keeps the budget ends the
   *  run. */
  takeCall: () => boolean
  /** Nothing may be changed, whatever a tool or policy says. */
  readingOnly: boolean
  attempts: Attempts
  claim: Claim
  blobs: Blobs
  redact: (text: string) => string
  now: () => number
  record: Pick<Recorder, 'write' | 'together' | 'soon' | 'breakOff' | 'broken' | 'at' | 'positionOf'>
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
  const { record, blobs } = options
  const at = { ...record.at(), call: call.callId }
  const written = announcing(call, options)
  let started = options.now()
  let attempt: Attempt | null = null
  // Redacted before it is marked, so that no secret can take the closing mark with it; and as one text, as the log does.
  // What QED has to say itself stands behind it.
  const settle = (output: ToolOutput, { foreign = false, note = '' } = {}): ToolOutput => {
    const clean = options.redact(output.text)
    const text = options.redact(`${foreign ? asData(clean, call.name) : clean}${note}`)
    const duration = Math.round(options.now() - started)
    record.soon(() => {
      if (attempt) options.attempts.settle(options.claim, attempt.id, { status: output.ok ? 'succeeded' : 'failed' })
      const { ok, exit = null } = output
      const sources = (output.sources ?? []).map(source => ({ ...source }))
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
    if (options.readingOnly) refuseChange(tool, question)
    const asking: AskingCall = {
      id: call.callId,
      name: call.name,
      at: record.at,
      preview: () => (tool.preview ? options.redact(beginning(tool.preview(input))) : null),
      announce: asked => written.decided({ ...asked, verdict: 'ask' }),
    }
    const leave = question ? await options.decide(question, asking) : FREE
    if (leave.verdict === 'deny') {
      record.together(() => written.once(leave))
      throw new Refusal(`not allowed: ${leave.reason}`)
    }
    // Looked at before anything is read and again before anything is done: preparing may take its time.
    refuseChanged(leave)
    const prepared = await prepare(tool, input, options, { question, asking, written })
    if (options.readingOnly && (prepared.paths ?? []).length > 0) throw changeRefused(tool)
    const hasEffect = !leave.readOnly && tool.effect !== 'read'
    if (hasEffect) await options.beforeEffect?.(tool.effect === 'write' ? (prepared.paths ?? []).map(({ path }) => path) : null)
    // What a person took to answer is not time of the call.
    started = options.now()
    record.together(() => {
      written.once(leave)
      attempt = hasEffect && written.mayRun() ? reserve(call, tool, { paths: prepared.paths ?? [], leave }, options) : null
    })
    refuseChanged(leave)
    if (prepared.further) refuseChanged(prepared.further)
    if (!written.mayRun()) throw new Refusal('no tool call is left in the budget.')
    const output = await prepared.act()
    const swept = hasEffect && tool.effect === 'execute' ? await options.afterCommand?.() : null
    // What a tool brings is data; refusals and errors are QED's own words.
    return settle(output, { foreign: tool.foreign === true, note: swept ? `\n${swept}` : '' })
  } catch (error) {
    // I-10: the attempt stays reserved, and the run stops where it can be gone on with.
    if (error instanceof QedError && error.code === 'disk_full') record.breakOff(error)
    if (record.broken() !== undefined) throw error
    // L-42, L-46: what waited for an answer when the run was stopped is asked again when it goes on.
    if (attempt === null && isStop(error, options.scene.signal)) throw new CallLeftOpen('The run was stopped.', { cause: error })
    const refused = isToolRefused(error)
    record.together(() => written.requested({ counts: !refused }))
    const foreign = error instanceof ToolError && tool.foreign === true && !(error instanceof Refusal)
    const output = settle({ ok: false, text: `Error: ${error instanceof Error ? error.message : String(error)}` }, { foreign })
    if (refused) throw error
    return output
  }
}

function isStop(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && error instanceof Error && error.name === 'AbortError'
}

/** A no before anything was looked at: QED's own words, also where what the tool gives is foreign. */
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
function announcing(call: Call, { record, blobs, redact, takeCall }: ExecutorOptions) {
  const at = { ...record.at(), call: call.callId }
  let seq: number | null = null
  let mayRun = false
  const requested = ({ counts = true } = {}): number => {
    if (seq !== null) return seq
    mayRun = counts && takeCall()
    const position = record.positionOf(call.callId)
    seq = record.write('call.requested', { ...at, position, name: call.name, arguments: blobs.keep(redact(call.arguments)) })
    return seq
  }
  const decided = ({ verdict, rule, reason, approval }: Decided): { requested: number; decided: number } => ({
    requested: requested(),
    decided: record.write('call.decided', { ...at, verdict, rule, reason, approval }),
  })
  return {
    requested,
    decided,
    /** Whether the budget had a call left for it. */
    mayRun: () => mayRun,
    /** A decision that a person was asked about stands there already. */
    once: (leave: Leave): void => {
      if (leave.approval === null) decided(leave)
      // Answered while another process drove the run: this one has not asked for the call yet.
      else requested()
    },
  }
}

/** L-14: ends the loop. A denial by policy does not. A foreign tool has looked for itself whether it says that it only reads. */
function refuseChange(tool: AnyTool, question: Question | null): void {
  const writes = question?.paths?.some(({ access }) => access === 'write')
  if (writes || (tool.effect !== 'read' && question?.verb !== 'tool.call')) throw changeRefused(tool)
}

function changeRefused({ name }: AnyTool): ToolRefused {
  return new ToolRefused(`${name} would change something, and nothing may change here`)
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
  const { loop, turn } = record.at()
  const attempt = attempts.reserve(claim, {
    subject: leave.approval === null ? `decision:${claim.run}:${loop}.${turn}:${call.callId}` : `approval:${leave.approval}`,
    call: call.callId,
    executor: 'qed',
    operation_digest: sha256(canonicalJson({ call: call.callId, name: call.name, arguments: call.arguments })),
    effect,
    paths,
  })
  record.write('call.reserved', { ...record.at(), call: call.callId, attempt: attempt.id, effect, paths: paths.map(path => ({ ...path })) })
  return attempt
}

// QED's own words, whatever the tool gives.
function checked(tool: AnyTool, text: string): JsonObject {
  const read = readArguments(tool, text)
  if (read.kind === 'misfit') throw new Refusal(read.message)
  return read.input
}

// A loop tells a failure to the model with this word; what is kept has it already.
function told({ ok, text }: { ok: boolean; text: string }): string {
  if (ok) return text
  throw new FailedResult(text.replace(/^Error: /, ''))
}
