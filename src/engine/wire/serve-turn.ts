import type { Clock } from '../../kernel/clock.ts'
import { createModelClient, type Reserve } from '../../models/client.ts'
import type { FailureKind } from '../../models/failure.ts'
import type { OpenModel } from '../../models/models.ts'
import { readNative, readTags } from '../../models/read-reply.ts'
import type { Gates } from '../../models/retry/gates.ts'
import type { EngineLoopAnswer, EngineLoopResponse } from '../types.ts'
import { createDeltas, type WireEvent } from './deltas.ts'
import type { EngineReply, EngineRequest, WireFailure } from './request.ts'

export interface TurnPorts {
  opened: OpenModel
  gates: Gates
  clock: Clock
  random: () => number
  signal: AbortSignal
  /** Longest time of the turn, with all that is tried again. */
  timeoutMs: number
  reserve?: Reserve
  onEvent?: (event: WireEvent) => void
}

/** Asks the model for one turn. Never rejects; nothing of the reply is carried out here. */
export async function serveTurn(
  request: EngineRequest,
  ports: TurnPorts,
): Promise<{ ok: true; reply: EngineReply } | { ok: false; failure: WireFailure }> {
  const { opened, gates, clock, random, signal, timeoutMs } = ports
  const { spec, model } = opened
  const timeout = AbortSignal.timeout(timeoutMs)
  const deltas = createDeltas({ tools: request.tools, dialect: spec.dialect, onEvent: ports.onEvent ?? (() => undefined) })
  let last: { kind: FailureKind; waitMs: number } | undefined
  const client = createModelClient({
    model,
    gates,
    clock,
    random,
    replyLimit: spec.reply,
    prices: spec.prices,
    ...(ports.reserve && { reserve: ports.reserve }),
    read: spec.dialect === 'tags' ? readTags : readNative,
    onPart: deltas.take,
    onRetry: about => (last = about),
  })
  const { messages, tools, personaSlug, maxTokens, temperature } = request
  const answer = await client.send(messages, tools, {
    personaSlug,
    signal: AbortSignal.any([signal, timeout]),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(temperature !== undefined && { temperature }),
  })
  if (answer.stop === 'error') {
    if (timeout.aborted && !signal.aborted) return { ok: false, failure: tooLate(timeoutMs, last) }
    return { ok: false, failure: toFailure(answer, clock) }
  }
  const reply = toReply(answer, model.name)
  deltas.end(reply)
  return { ok: true, reply }
}

function toReply({ stop, assistantMessage, tokensUsed, rejected = [], usage, ...more }: EngineLoopAnswer, model: string): EngineReply {
  const doubtful = new Map(rejected.map(({ id, message }) => [id, message]))
  const calls = assistantMessage.toolCalls ?? []
  const toolCalls = calls.filter(({ id }) => !doubtful.has(id))
  const refused = calls.flatMap(call => (doubtful.has(call.id) ? [{ ...call, message: doubtful.get(call.id) ?? '' }] : []))
  return {
    stop: 'truncated' in more && more.truncated ? 'length' : stop,
    // Blanks at the ends say nothing, and could not be told from held-back ones while the reply comes in.
    content: assistantMessage.content.trim(),
    ...(toolCalls.length > 0 && { toolCalls }),
    ...(refused.length > 0 && { rejected: refused }),
    tokensUsed,
    model,
    ...(usage && { usage }),
  }
}

type ErrorAnswer = Extract<EngineLoopResponse, { stop: 'error' }>

const STATUSES: Readonly<Record<ErrorAnswer['code'], WireFailure['status']>> = {
  rate_limited: 429,
  budget: 422,
  auth_missing: 502,
  endpoint_missing: 502,
  failed: 502,
  context_overflow: 502,
}

function toFailure({ code, message, retryAt }: ErrorAnswer, clock: Clock): WireFailure {
  const retryAfterMs = retryAt === undefined ? undefined : Math.max(0, Date.parse(retryAt) - clock.now())
  return { status: STATUSES[code], code, message, ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

// Whoever was told to wait all the time was rate limited, and not answered late.
function tooLate(timeoutMs: number, last: { kind: FailureKind; waitMs: number } | undefined): WireFailure {
  if (last?.kind === 'rate') {
    return {
      status: 429,
      code: 'rate_limited',
      message: 'The model provider asks to be left alone for a while.',
      retryAfterMs: last.waitMs,
    }
  }
  return { status: 504, code: 'timeout', message: `The model provider took longer than ${timeoutMs / 1000} s.` }
}
