// One turn with a model: reserve → wait for the gate → send → settle; again after a failure that passes with time, as long as
// nothing of a reply was taken. What it gives is read by a loop; nothing here is carried out.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../kernel/clock.ts'
import type { EngineLoopClient, EngineLoopMessage, EngineLoopResponse, EngineLoopTool, SendOptions, Usage } from '../kernel/frames.ts'
import { classify } from './classify.ts'
import { collect, type ModelReply } from './collect.ts'
import { estimateTokens } from './estimate.ts'
import { type FailureKind, ModelFailed } from './failure.ts'
import type { Model, ModelPart } from './port.ts'
import { type ReadReply, readNative } from './read-reply.ts'
import type { Gates } from './retry/gates.ts'
import { createRetryPlanner } from './retry/plan.ts'
import { createTokenMeter, type TokenMeter } from './token-meter.ts'
import { costOf, type Prices } from './usage.ts'

/** Below this there is no room for an answer worth having. */
export const LEAST_REPLY_TOKENS = 256
/** Whoever sends more letters than this for each token that was agreed on does not keep to the agreement. */
const MOST_PER_TOKEN = 32
const MOST_REPLY_LETTERS = 16 << 20

export interface Reservation {
  /** Most tokens of the reply. */
  reply: number
  settle: (actual: { tokens: number; costMicroUsd: number }) => void
  /** Nothing was spent. */
  release: () => void
}

/** Whoever keeps the budget grants the prompt and as much of the reply as there is room for. Refusing is an answer, not an error. */
export type Reserve = (want: { prompt: number; reply: number }) => Reservation | { refused: string }

export interface ModelClientOptions {
  model: Model
  gates: Gates
  clock: Clock
  random: () => number
  /** Most tokens of one reply; none: the model provider's own limit. */
  replyLimit?: number | undefined
  prices?: Prices | undefined
  reserve?: Reserve
  /** Counts requests; learns from what the model provider counted. */
  meter?: TokenMeter
  /** How calls are read from a reply. */
  read?: ReadReply
  onPart?: (part: ModelPart) => void
  /** A request is on its way: a good moment for what the calls of its reply will need. */
  onSent?: () => void
  onRetry?: (about: { retry: number; kind: FailureKind; status: number | undefined; waitMs: number }) => void
}

export function createModelClient(options: ModelClientOptions): EngineLoopClient {
  const meter = options.meter ?? createTokenMeter()
  return { send: (messages, tools, send) => sendTurn({ ...options, meter }, messages, tools, send) }
}

type Metered = ModelClientOptions & { meter: TokenMeter }

async function sendTurn(
  options: Metered,
  messages: readonly EngineLoopMessage[],
  tools: readonly EngineLoopTool[],
  send: SendOptions,
): Promise<EngineLoopResponse> {
  const maxTokens = Math.min(options.replyLimit ?? Number.POSITIVE_INFINITY, send.maxTokens ?? Number.POSITIVE_INFINITY)
  if (maxTokens < LEAST_REPLY_TOKENS) {
    return { stop: 'error', code: 'budget', message: `${maxTokens} tokens are left; an answer needs at least ${LEAST_REPLY_TOKENS}.` }
  }
  const planNext = createRetryPlanner()
  for (let retry = 0; ; retry++) {
    const outcome = await tryOnce(options, { messages, tools, send, maxTokens })
    if (!(outcome instanceof ModelFailed)) return outcome
    const plan = planNext(outcome, options.random())
    // L-50: it said when it can be asked again, be it with a 503.
    if (plan.kind === 'give-up')
      return { ...toError(outcome, options.clock), ...(plan.retryAfterMs !== undefined && { code: 'rate_limited' as const }) }
    options.onRetry?.({ retry: retry + 1, kind: outcome.kind, status: outcome.status, waitMs: plan.ms })
    if (outcome.kind === 'rate') options.gates.close(options.model.gate, options.clock.now() + plan.ms)
    if (!(await waited(plan.ms, send.signal))) return toError(new ModelFailed('aborted', 'The request was stopped.'), options.clock)
  }
}

const TOO_LONG = 'The reply was much longer than had been agreed on, and was broken off.'

interface Attempt {
  messages: readonly EngineLoopMessage[]
  tools: readonly EngineLoopTool[]
  send: SendOptions
  maxTokens: number
}

async function tryOnce(options: Metered, attempt: Attempt): Promise<EngineLoopResponse | ModelFailed> {
  const { model, gates, clock, prices, meter } = options
  const { messages, tools, send, maxTokens } = attempt
  const prompt = meter.count(messages, tools)
  const reservation = options.reserve?.({ prompt, reply: maxTokens })
  if (reservation && 'refused' in reservation) return { stop: 'error', code: 'budget', message: reservation.refused }
  let taken = false
  let partial = ''
  let letters = ''
  let leave: (() => void) | undefined
  try {
    leave = await gates.enter(model.gate, send.signal)
    const closedMs = gates.closedUntil(model.gate) - clock.now()
    if (closedMs > 0 && !(await waited(closedMs, send.signal))) throw new ModelFailed('aborted', 'The request was stopped.')
    const { temperature, signal } = send
    const agreed = reservation?.reply ?? maxTokens
    const parts = model.stream({
      messages,
      tools,
      maxTokens: agreed,
      ...(temperature !== undefined && { temperature }),
      ...(signal && { signal }),
      ...(options.onSent && { onSent: options.onSent }),
    })
    const reply = await collect(parts, part => {
      taken = true
      if (part.kind === 'text') partial += part.text
      if ('text' in part) letters += part.text
      if (letters.length > Math.min(MOST_REPLY_LETTERS, agreed * MOST_PER_TOKEN)) throw new ModelFailed('refused', TOO_LONG)
      options.onPart?.(part)
    })
    if (reply.usage) meter.learn(messages, tools, reply.usage.prompt)
    const counted = withUsage(reply, prompt, prices)
    reservation?.settle(spentOn(counted.usage, prices))
    return await (options.read ?? readNative)(counted, tools)
  } catch (error) {
    // What had come of a reply that broke off is paid for.
    if (taken) reservation?.settle(spentOn(usageOf(prompt, estimateTokens([{ role: 'assistant', content: letters }])), prices))
    else reservation?.release()
    const failure = classify(error, { now: clock.now(), signal: send.signal })
    // Once the model had begun to answer, asking again could be paid twice and would show two answers.
    return taken ? { ...toError(failure, clock), ...(partial !== '' && { partial }) } : failure
  } finally {
    leave?.()
  }
}

function spentOn(usage: Usage, prices: Prices | undefined): { tokens: number; costMicroUsd: number } {
  return { tokens: usage.total, costMicroUsd: usage.costMicroUsd ?? (prices ? costOf(usage, prices) : 0) }
}

function usageOf(prompt: number, completion: number): Usage {
  const reply = Number.isFinite(completion) ? completion : 0
  return { prompt: Math.max(0, prompt), cached: 0, cacheWrite: 0, completion: reply, reasoning: 0, total: prompt + reply }
}

/** A reply that came without figures gets a careful guess; with prices it gets its cost. */
function withUsage(reply: ModelReply, prompt: number, prices: Prices | undefined): ModelReply & { usage: Usage } {
  const frame: EngineLoopMessage = { role: 'assistant', content: `${reply.thinking}${reply.text}`, toolCalls: reply.calls }
  const usage = reply.usage ?? usageOf(prompt, estimateTokens([frame]))
  // Its own figure, where the model provider sends one, stands over ours.
  const cost = usage.costMicroUsd ?? (prices && costOf(usage, prices))
  return { ...reply, usage: cost === undefined ? usage : { ...usage, costMicroUsd: cost } }
}

type ErrorAnswer = Extract<EngineLoopResponse, { stop: 'error' }>

const CODES: Readonly<Record<FailureKind, ErrorAnswer['code']>> = {
  auth: 'auth_missing',
  missing: 'endpoint_missing',
  rate: 'rate_limited',
  quota: 'rate_limited',
  overflow: 'context_overflow',
  gateway: 'failed',
  server: 'failed',
  request: 'failed',
  refused: 'failed',
  aborted: 'failed',
}

function toError({ kind, message, retryAfterMs }: ModelFailed, clock: Clock): ErrorAnswer {
  const retryAt = retryAfterMs === undefined ? undefined : new Date(clock.now() + retryAfterMs).toISOString()
  return { stop: 'error', code: CODES[kind], message, ...(retryAt !== undefined && { retryAt }) }
}

/** Whether the wait came to its end. */
async function waited(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await sleep(ms, undefined, signal ? { signal } : {})
    return true
  } catch {
    return false
  }
}
