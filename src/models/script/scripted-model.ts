import { setTimeout as sleep } from 'node:timers/promises'
import { classify } from '../classify.ts'
import { estimateTokens } from '../estimate.ts'
import type { Model, ModelPart, ModelRequest } from '../port.ts'
import { toUsage } from '../usage.ts'
import { createPlayer } from './choose.ts'
import type { Script, ScriptReply } from './schema.ts'

const PIECE = 24

/** A model that plays a script. It is no model, and says so wherever it is shown; everything behind it is real. */
export function createScriptedModel(script: Script, { name, now }: { name: string; now: () => number }): Model {
  const play = createPlayer(script)
  return {
    name,
    gate: `script:${name}`,
    scripted: true,
    // Numbered by the conversation, not by this process: a run that goes on gives no id twice.
    stream: request =>
      perform(play(request.messages), request, { n: request.messages.filter(({ role }) => role === 'assistant').length, now }),
  }
}

async function* perform(reply: ScriptReply, request: ModelRequest, at: { n: number; now: () => number }): AsyncIterable<ModelPart> {
  if (reply.delay_ms !== undefined) await pause(reply.delay_ms, request.signal, at.now)
  if (reply.error) {
    const { status, retry_after, message = `scripted error ${status}` } = reply.error
    const responseHeaders = retry_after === undefined ? {} : { 'retry-after': String(retry_after) }
    throw classify(Object.assign(new Error(message), { statusCode: status, responseHeaders }), { now: at.now() })
  }
  if (reply.thinking !== undefined) yield* inPieces('thinking', reply.thinking)
  yield* inPieces('text', reply.raw ?? reply.text ?? '')
  const calls = reply.calls ?? []
  for (const [i, call] of calls.entries()) {
    const id = `script_${at.n}_${i}`
    const text = JSON.stringify(call.arguments)
    yield { kind: 'call-start', id, name: call.name }
    yield { kind: 'call-delta', id, text }
    yield { kind: 'call', id, name: call.name, arguments: text }
  }
  const usage = reply.usage
    ? toUsage({ prompt: reply.usage.input, completion: reply.usage.output })
    : toUsage({ prompt: estimateTokens(request.messages), completion: estimateTokens([asMessage(reply)]) })
  yield { kind: 'finish', reason: calls.length > 0 ? 'tool_use' : 'stop', usage }
}

function asMessage({ text = '', raw, thinking = '', calls = [] }: ScriptReply) {
  return { role: 'assistant' as const, content: `${thinking}${raw ?? text}${calls.map(call => JSON.stringify(call)).join('')}` }
}

function* inPieces(kind: 'text' | 'thinking', text: string): Iterable<ModelPart> {
  const points = Array.from(text)
  for (let i = 0; i < points.length; i += PIECE) yield { kind, text: points.slice(i, i + PIECE).join('') }
}

async function pause(ms: number, signal: AbortSignal | undefined, now: () => number): Promise<void> {
  try {
    await sleep(ms, undefined, signal ? { signal } : {})
  } catch (error) {
    throw classify(error, { now: now(), signal })
  }
}
