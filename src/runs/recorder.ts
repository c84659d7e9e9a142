// What a loop does, written down before it is done: the client, the context and the calls of one loop go through here. A record
// that cannot be written stops what it was to announce.
import type { ContextStrategy, EngineLoopClient, EngineLoopMessage, EngineLoopResponse, EngineToolCall } from '../kernel/frames.ts'
import { canonicalJson, type Json, type JsonObject } from '../kernel/json.ts'
import { prefixFold } from '../kernel/prefix-fold.ts'
import { sha256 } from '../kernel/sha256.ts'
import type { Blobs } from '../store/blobs.ts'
import type { Database } from '../store/database.ts'
import type { EventLog } from '../store/event-log.ts'
import type { TurnFacts } from '../text/dialects/judge-turn.ts'
import { withIds } from './call-ids.ts'
import type { LoopCounts } from './loop-state.ts'
import type { Claim, Runs } from './runs.ts'
import { savedList, savedTurn } from './saved-frames.ts'

/** What was taken out of the budgets for a request, by its number. */
export type Reserved = { id: number; tokens: number }

/** Writes that a request is made; null: nothing was reserved for it, and nothing left this machine. */
export type WriteRequest = (reservation: Reserved | null) => void

/** Sends, and has it written before, together with what is reserved for it. */
export type Announced = <T>(write: WriteRequest, send: () => Promise<T>) => Promise<T>

const unreserved: Announced = (write, send) => {
  write(null)
  return send()
}

export interface RecorderOptions {
  db: Database
  log: EventLog
  blobs: Blobs
  runs: Runs
  claim: Claim
  /** From 1. */
  loop: number
  /** The turn with which the loop goes on. */
  turn?: number
  /** Calls of the reply with which it goes on. */
  calls?: readonly EngineToolCall[]
  estimate: (messages: readonly EngineLoopMessage[]) => number
  /** Left out, nobody keeps a budget. */
  announced?: Announced
  /** Of the send that is under way. */
  retries?: () => number
  /** Done in the transaction that writes the reply: what it cost is booked if and only if the reply is known. */
  onReply?: () => void
  /** Takes secrets out of a reply before it becomes a frame: the log could not hold it as it is, and no secret is sent twice. */
  redact?: (text: string) => string
}

export interface Recorder {
  /** Writes one event of the run, if the claim still holds, and tells its number. */
  write: (type: string, data: JsonObject) => number
  /** Writes several as one. What could not be written once is not tried again: from then on everything throws the same, so that
   *  nothing goes on beside its record. */
  together: <T>(work: () => T) => T
  /** Writes as one what nothing that was not written depends on: together with what is written next, if that comes at once. What keeps
   *  it from being written is thrown by whatever comes after it. */
  soon: (work: () => void) => void
  /** Lets nothing more be recorded, for a reason that no record can tell; gives the reason back. */
  breakOff: (error: Error) => Error
  /** Why nothing more can be recorded. */
  broken: () => unknown
  /** The loop and turn that events of calls belong to. */
  at: () => { loop: number; turn: number }
  client: (inner: EngineLoopClient) => EngineLoopClient
  /** The arguments of a call of this turn as the model wrote them; its frame may hold less. */
  argumentsOf: (call: { callId: string; arguments: string }) => string
  /** Which of the calls of this turn it is, from 0. */
  positionOf: (callId: string) => number
  context: (inner: ContextStrategy) => ContextStrategy
  /** Does what may make a context shorter, and saves what became of it, so that every later request can be rebuilt. */
  compacting: <T>(context: Pick<ContextStrategy, 'messages'>, act: () => Promise<T>) => Promise<T>
  turnEnded: (counts: LoopCounts, facts: TurnFacts | null) => void
  /** Writes what the last turn left to be written. Inside `together`: it refers to results that were to be written soon. */
  flush: () => void
  /** When no send is under way any more, also one that nobody waits for. */
  idle: () => Promise<void>
}

export function createRecorder(options: RecorderOptions): Recorder {
  const { db, log, blobs, runs, claim, loop, redact = text => text, announced = unreserved } = options
  let turn = (options.turn ?? 0) - 1
  let frames: EngineLoopMessage[] = []
  /** Of this turn, by call: the arguments as they came, and the result as it was written. */
  let asked = argumentsByCall(options.calls)
  const results = new Map<string, Json>()
  let ended: { counts: LoopCounts; facts: TurnFacts | null } | null = null
  const { together, soon, ...breaking } = guarded(db)
  let sending: Promise<unknown> = Promise.resolve()
  const digestOf = chainDigest()

  const write: Recorder['write'] = (type, data) => {
    const { seq } = together(() => runs.fenced(claim, () => log.append(`run:${claim.run}`, type, data)))
    if (type === 'call.settled') results.set(data['call'] as string, data['result'] ?? null)
    return seq
  }
  const save = (data: JsonObject): void => void write('checkpoint.saved', { loop, turn: Math.max(0, turn), ...data })
  const flush = (): void => {
    if (!ended) return
    const { counts, facts } = ended
    const saved = frames.map(frame => savedTurn(frame, results, blobs)) as unknown as JsonObject[]
    save({ label: 'turn', ...counts, facts: facts as unknown as JsonObject, frames: saved, compaction: null })
    ended = null
    frames = []
    results.clear()
  }
  const compacting: Recorder['compacting'] = async (context, act) => {
    together(flush)
    const before = context.messages()
    const given = await act()
    const after = context.messages()
    if (after === before) return given
    const saved = compaction(before, after, options)
    if (saved) save(saved)
    return given
  }
  return {
    write,
    together,
    soon,
    ...breaking,
    flush,
    idle: async () => void (await sending.catch(() => undefined)),
    compacting,
    at: () => ({ loop, turn }),
    turnEnded: (counts, facts) => {
      ended = { counts, facts }
    },
    argumentsOf: call => asked.get(call.callId) ?? call.arguments,
    positionOf: callId => Math.max(0, [...asked.keys()].indexOf(callId)),
    context: inner => ({
      start: inner.start,
      messages: inner.messages,
      overflow: () => compacting(inner, inner.overflow),
      append: more => {
        inner.append(more)
        frames.push(...more)
      },
    }),
    client: inner => {
      const send: EngineLoopClient['send'] = async (messages, tools, sendOptions) => {
        const request: WriteRequest = reservation =>
          together(() => {
            flush()
            turn++
            const estimated = options.estimate(messages)
            write('turn.requested', { loop, turn, messages: messages.length, digest: digestOf(messages), estimated, reservation })
          })
        const given = withCallIds(await announced(request, () => inner.send(messages, tools, sendOptions)), turn)
        if (given.stop !== 'error') asked = argumentsByCall(given.assistantMessage.toolCalls)
        const response = withoutSecrets(given, redact)
        soon(() => {
          options.onReply?.()
          write(...received(response, { loop, turn, retries: options.retries?.() ?? 0 }, blobs))
        })
        return response
      }
      return { send: (...given) => (sending = send(...given)) }
    },
  }
}

function argumentsByCall(calls: readonly EngineToolCall[] = []): ReadonlyMap<string, string> {
  return new Map(calls.map(call => [call.id, call.arguments]))
}

/** Transactions until one of them fails. */
function guarded(db: Database): Pick<Recorder, 'together' | 'soon' | 'breakOff' | 'broken'> {
  let fault: { error: unknown } | null = null
  const breakOff = <E>(error: E): E => {
    fault ??= { error }
    return error
  }
  const unbroken = <T>(work: () => T): T => {
    if (fault) throw fault.error
    return work()
  }
  return {
    together: work =>
      unbroken(() => {
        try {
          // Asked again inside: what was to be written soon is written first.
          return db.transaction(() => unbroken(work))
        } catch (error) {
          breakOff(error)
          throw fault?.error
        }
      }),
    soon: work => db.soon(() => unbroken(work), breakOff),
    breakOff,
    broken: () => fault?.error,
  }
}

/** What a compaction made of a context; null where every frame is still there. */
function compaction(
  before: readonly EngineLoopMessage[],
  after: readonly EngineLoopMessage[],
  { estimate, blobs }: RecorderOptions,
): JsonObject | null {
  const kept = new Set(after)
  const replaced = before.filter(frame => !kept.has(frame))
  if (replaced.length === 0) return null
  const digest = chainDigest()(replaced)
  return {
    label: 'compaction',
    facts: null,
    frames: savedList(before, after, blobs) as unknown as JsonObject[],
    compaction: { before: estimate(before), after: estimate(after), replaced: replaced.length, digest },
  }
}

// Before it is written, so that log, frames and results speak of the same calls.
function withCallIds(response: EngineLoopResponse, turn: number): EngineLoopResponse {
  if (response.stop === 'error' || !response.assistantMessage.toolCalls) return response
  const toolCalls = withIds(response.assistantMessage.toolCalls, turn)
  return { ...response, assistantMessage: { ...response.assistantMessage, toolCalls } }
}

function withoutSecrets(response: EngineLoopResponse, redact: (text: string) => string): EngineLoopResponse {
  if (response.stop === 'error') return response.partial === undefined ? response : { ...response, partial: redact(response.partial) }
  const { toolCalls } = response.assistantMessage
  const assistantMessage: EngineLoopMessage = {
    ...response.assistantMessage,
    content: redact(response.assistantMessage.content),
    ...(toolCalls && { toolCalls: toolCalls.map(call => ({ ...call, arguments: redact(call.arguments) })) }),
  }
  return response.stop === 'text' ? { ...response, assistantMessage, content: redact(response.content) } : { ...response, assistantMessage }
}

function received(
  response: EngineLoopResponse,
  at: { loop: number; turn: number; retries: number },
  blobs: Blobs,
): [type: string, data: JsonObject] {
  if (response.stop === 'error') {
    const { code, message, partial } = response
    return ['turn.failed', { ...at, code, message, partial: partial === undefined ? null : blobs.keep(partial) }]
  }
  const { assistantMessage, tokensUsed, rejected = [], warnings = [], usage } = response
  return [
    'turn.received',
    {
      ...at,
      stop: response.stop,
      content: blobs.keep(assistantMessage.content),
      calls: (assistantMessage.toolCalls ?? []).map(call => ({ ...call, arguments: blobs.keep(call.arguments) })),
      tokens: tokensUsed,
      truncated: response.stop === 'text' && response.truncated === true,
      rejected,
      warnings: warnings.map(warning => ({ ...warning })),
      usage: (usage as unknown as JsonObject) ?? null,
    },
  ]
}

/** A digest of all frames that costs only what is new: each frame is hashed once, and the list as a chain. */
export function chainDigest(): (messages: readonly EngineLoopMessage[]) => string {
  return prefixFold('', (before, frame) => sha256(`${before}${canonicalJson(frame)}`))
}
