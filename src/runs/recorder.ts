// What a loop does, written down before it is done: the client, the context and the calls of one loop go through here. A record
// that cannot be written stops what it was to announce.
import { createHash } from 'node:crypto'
import type { ContextStrategy, EngineLoopClient, EngineLoopMessage, EngineLoopResponse } from '../kernel/frames.ts'
import { canonicalJson, type JsonObject } from '../kernel/json.ts'
import type { Blobs } from '../store/blobs.ts'
import type { Database } from '../store/database.ts'
import type { EventLog } from '../store/event-log.ts'
import type { TurnFacts } from '../text/dialects/judge-turn.ts'
import { withIds } from './call-ids.ts'
import type { LoopCounts } from './loop-state.ts'
import type { Claim, Runs } from './runs.ts'

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
  estimate: (messages: readonly EngineLoopMessage[]) => number
  retries?: () => number
}

export interface Recorder {
  /** Writes one event of the run, if the claim still holds. */
  write: (type: string, data: JsonObject) => void
  /** The loop and turn that events of calls belong to. */
  at: () => { loop: number; turn: number }
  client: (inner: EngineLoopClient) => EngineLoopClient
  context: (inner: ContextStrategy) => ContextStrategy
  turnEnded: (counts: LoopCounts, facts: TurnFacts | null) => void
  /** Writes what the last turn left to be written. */
  flush: () => void
}

type KeptFrame = { from: 'reply' } | { from: 'call'; call: string } | { from: 'text'; frame: EngineLoopMessage }

export function createRecorder(options: RecorderOptions): Recorder {
  const { db, log, blobs, runs, claim, loop } = options
  let turn = (options.turn ?? 0) - 1
  let frames: KeptFrame[] = []
  let ended: { counts: LoopCounts; facts: TurnFacts | null } | null = null
  const digestOf = chainDigest()

  const write: Recorder['write'] = (type, data) => runs.fenced(claim, () => void log.append(`run:${claim.run}`, type, data))
  const flush = (): void => {
    if (!ended) return
    const { counts, facts } = ended
    write('checkpoint.saved', { loop, turn, ...counts, facts: facts as unknown as JsonObject, frames: frames as unknown as JsonObject[] })
    ended = null
    frames = []
  }
  return {
    write,
    flush,
    at: () => ({ loop, turn }),
    turnEnded: (counts, facts) => {
      ended = { counts, facts }
    },
    context: inner => ({
      start: inner.start,
      messages: inner.messages,
      overflow: inner.overflow,
      append: more => {
        inner.append(more)
        frames.push(...more.map(keptFrame))
      },
    }),
    client: inner => ({
      send: async (messages, tools, send) => {
        db.transaction(() => {
          flush()
          turn++
          const estimated = options.estimate(messages)
          write('turn.requested', { loop, turn, messages: messages.length, digest: digestOf(messages), estimated })
        })
        const response = withCallIds(await inner.send(messages, tools, send), turn)
        write(...received(response, { loop, turn, retries: options.retries?.() ?? 0 }, blobs))
        return response
      },
    }),
  }
}

// Before it is written, so that log, frames and results speak of the same calls.
function withCallIds(response: EngineLoopResponse, turn: number): EngineLoopResponse {
  if (response.stop === 'error' || !response.assistantMessage.toolCalls) return response
  const toolCalls = withIds(response.assistantMessage.toolCalls, turn)
  return { ...response, assistantMessage: { ...response.assistantMessage, toolCalls } }
}

function keptFrame(frame: EngineLoopMessage): KeptFrame {
  if (frame.role === 'assistant') return { from: 'reply' }
  return frame.role === 'tool' ? { from: 'call', call: frame.toolCallId ?? '' } : { from: 'text', frame }
}

function received(
  response: EngineLoopResponse,
  at: { loop: number; turn: number; retries: number },
  blobs: Blobs,
): [type: string, data: JsonObject] {
  if (response.stop === 'error') return ['turn.failed', { ...at, code: response.code, message: response.message }]
  const { assistantMessage, tokensUsed, rejected = [], usage } = response
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
      usage: (usage as unknown as JsonObject) ?? null,
    },
  ]
}

/** A digest of all frames that costs only what is new: each frame is hashed once, and the list as a chain. */
export function chainDigest(): (messages: readonly EngineLoopMessage[]) => string {
  let known: { frame: EngineLoopMessage; digest: string }[] = []
  return messages => {
    const same = messages.findIndex((frame, i) => known[i]?.frame !== frame)
    known = same < 0 ? known.slice(0, messages.length) : known.slice(0, same)
    for (const frame of messages.slice(known.length)) {
      const before = known.at(-1)?.digest ?? ''
      known.push({ frame, digest: createHash('sha256').update(before).update(canonicalJson(frame)).digest('hex') })
    }
    return known.at(-1)?.digest ?? ''
  }
}
