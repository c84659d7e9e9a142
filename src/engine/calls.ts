import { CallLeftOpen } from '../kernel/call-left-open.ts'
import { isPlainObject, parseJson } from '../kernel/json.ts'
import { isToolRefused } from '../kernel/tool-refused.ts'
import type { TurnCall } from '../text/dialects/judge-turn.ts'
import { ABORTED, untilAborted } from './abort.ts'
import { effectOf, isMutatingName } from './offered.ts'
import { errorText, resultText } from './shorten.ts'
import type { EngineLoopHooks, EngineLoopMessage, EngineLoopTool, EngineLoopToolExecutor, EngineToolCall, ToolResult } from './types.ts'

/** How long a call in flight is waited for after an abort. */
const GRACE_MS = 5_000

export interface CallScene {
  executor: EngineLoopToolExecutor
  offered: (name: string) => EngineLoopTool | undefined
  names: readonly string[]
  maxToolCalls: number
  hooks: Required<EngineLoopHooks>
  signal: AbortSignal | undefined
}

/** How the calls of one turn went. `end` says why the loop cannot go on after them. */
export interface CallsOutcome {
  frames: EngineLoopMessage[]
  facts: TurnCall[]
  carriedOut: number
  end?: { kind: 'aborted' } | { kind: 'tool_calls' } | { kind: 'refused'; message: string }
}

/** Carries out the calls of one turn, one after the other. */
export async function carryOut(
  calls: readonly EngineToolCall[],
  { rejected, spent }: { rejected: ReadonlyMap<string, string>; spent: number },
  scene: CallScene,
): Promise<CallsOutcome> {
  const outcome: CallsOutcome = { frames: [], facts: [], carriedOut: 0 }
  for (const call of calls) {
    if (scene.signal?.aborted) return { ...outcome, end: { kind: 'aborted' } }
    const tool = scene.offered(call.name)
    const barred = whyNot(call, { tool, rejected, names: scene.names })
    if (!barred && spent + outcome.carriedOut >= scene.maxToolCalls) return { ...outcome, end: { kind: 'tool_calls' } }

    scene.hooks.onToolCall({ ...call })
    const done = barred ?? (await attempt(call, tool?.name ?? call.name, scene))
    if (done.kind === 'aborted') return { ...outcome, carriedOut: outcome.carriedOut + 1, end: { kind: 'aborted' } }
    const result: ToolResult = done.kind === 'ok' ? { ok: true, content: done.text } : { ok: false, error: done.text }
    scene.hooks.onToolResult({ id: call.id, name: call.name }, result)
    if (done.kind === 'refused') return { ...outcome, end: { kind: 'refused', message: done.text } }
    if (done.kind !== 'barred') outcome.carriedOut++
    outcome.frames.push({ role: 'tool', content: done.text, toolCallId: call.id, toolName: call.name })
    outcome.facts.push({
      name: call.name,
      arguments: argumentsOf(call),
      effect: effectOf(tool?.name ?? call.name, tool),
      ok: done.kind === 'ok',
    })
  }
  return outcome
}

type Done = { kind: 'ok' | 'failed' | 'barred' | 'refused'; text: string } | { kind: 'aborted' }

/** Why a call never reaches the executor. */
function whyNot(
  { id, name }: EngineToolCall,
  at: { tool: EngineLoopTool | undefined; rejected: ReadonlyMap<string, string>; names: readonly string[] },
): Done | null {
  const doubt = at.rejected.get(id)
  if (doubt !== undefined) return { kind: 'barred', text: errorText(new Error(doubt)) }
  if (at.tool) return null
  if (isMutatingName(name)) return { kind: 'refused', text: `${name} is not available here` }
  const available = at.names.length === 0 ? 'none' : at.names.join(', ')
  return { kind: 'barred', text: `Error: unknown tool ${name}. Available: ${available}.` }
}

async function attempt(call: EngineToolCall, name: string, { executor, signal }: CallScene): Promise<Done> {
  try {
    // Inside the promise, so that an executor which throws at once is no different from one that rejects.
    const work = Promise.resolve().then(() => executor({ name, arguments: call.arguments, callId: call.id }))
    const given = await untilAborted(work, signal, GRACE_MS)
    return given === ABORTED ? { kind: 'aborted' } : { kind: 'ok', text: resultText(given) }
  } catch (error) {
    if (error instanceof CallLeftOpen) return { kind: 'aborted' }
    return isToolRefused(error) ? { kind: 'refused', text: error.message } : { kind: 'failed', text: errorText(error) }
  }
}

function argumentsOf({ arguments: text }: EngineToolCall): Record<string, unknown> {
  const parsed = parseJson(text)
  return isPlainObject(parsed) ? parsed : { text }
}
