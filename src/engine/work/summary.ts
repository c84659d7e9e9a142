import { DEFAULT_PERSONA } from '../../context/system-prompt.ts'
import { SUMMARY_TOKENS, summaryRequest, whyNoSummary } from '../../context/transcript/summary.ts'
import type { EngineLoopClient, EngineLoopMessage, EngineLoopResponse } from '../../kernel/frames.ts'
import type { JsonObject } from '../../kernel/json.ts'
import { estimateTokens } from '../../models/estimate.ts'
import { type Announced, chainDigest, type Recorder } from '../../runs/recorder.ts'
import type { Blobs } from '../../store/blobs.ts'
import { tokensOf } from '../tokens.ts'

interface SummaryOptions {
  client: EngineLoopClient
  count: (messages: readonly EngineLoopMessage[]) => number
  /** What the loop and every budget above it leave. */
  left: () => number
  recorder: () => Recorder
  announced: Announced
  redact: (text: string) => string
  blobs: Blobs
  signal: AbortSignal
  /** Told of every token that was paid, also for a summary that is of no use. */
  onSpent: (tokens: number) => void
}

/** A summary of frames by the run's own model, asked for without tools, within its budget, and recorded like a turn. Null: there is
 *  none that could stand in place of the frames, and the log says why. */
export function createSummariser(options: SummaryOptions): (frames: readonly EngineLoopMessage[]) => Promise<string | null> {
  const { client, count, left, recorder, announced, redact, blobs, signal, onSpent } = options
  return async frames => {
    const request = summaryRequest(frames, redact)
    const estimated = count(request)
    // A budget that is nearly used up is better spent on the work itself.
    if (estimated + SUMMARY_TOKENS > left()) return null
    const { loop, turn } = recorder().at()
    const at = { loop, turn: Math.max(0, turn) }
    const asked = { ...at, frames: frames.length, digest: chainDigest()(request), estimated }
    const response = await announced(
      reservation => void recorder().write('summary.requested', { ...asked, reservation }),
      () => client.send(request, [], { personaSlug: DEFAULT_PERSONA, maxTokens: SUMMARY_TOKENS, signal }),
    )
    // Whoever waited for it has gone on to the end of the run; nothing is written behind that.
    if (signal.aborted) return null
    const tokens = response.stop === 'error' ? 0 : tokensOf(response, request)
    onSpent(tokens)
    const read = textOf(response, redact)
    const text = read.text === undefined ? null : blobs.keep(read.text)
    const usage = response.stop === 'error' ? null : ((response.usage as unknown as JsonObject) ?? null)
    recorder().write('summary.received', { ...at, text, refused: read.refused ?? null, tokens, usage })
    return read.text ?? null
  }
}

type Read = { text: string; refused?: never } | { text?: never; refused: string }

function textOf(response: EngineLoopResponse, redact: (text: string) => string): Read {
  if (response.stop === 'error') return { refused: `${response.code}: ${response.message}` }
  if (response.stop === 'tool_use') return { refused: 'it called a tool' }
  if (response.truncated) return { refused: 'it was cut off' }
  const text = redact(response.content.trim())
  const refused = whyNoSummary(text, estimateTokens([{ role: 'user', content: text }]))
  return refused === null ? { text } : { refused }
}
