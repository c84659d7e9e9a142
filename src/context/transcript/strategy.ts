import type { ContextStrategy, EngineLoopMessage } from '../../kernel/frames.ts'
import { foldMiddle, partsOf, shortenResults } from './compact.ts'

export interface TranscriptOptions {
  /** Most tokens of one request; asked each time, because a run can change its model. */
  ceiling: () => number
  count: (messages: readonly EngineLoopMessage[]) => number
  /** What QED itself knows of the work, word for word: the goal, open criteria, changed files, the last failure, the budget. */
  known: () => string
  /** A model's summary of some frames; null where it could not be had. */
  summarise: (frames: readonly EngineLoopMessage[]) => Promise<string | null>
  /** Takes secrets out of what is put in place of frames. */
  redact: (text: string) => string
  /** When it comes, everything is left as it is. */
  signal?: AbortSignal
}

const START_AT = 0.8
const GOAL = 0.6
/** So much of the ceiling must have come on before a transcript that could not be brought below the mark is tried again. */
const PAUSE = 0.1

export interface Transcript extends ContextStrategy {
  /** Takes over frames of a loop that was interrupted. */
  restore: (frames: readonly EngineLoopMessage[]) => void
  /** Whether room should be made before the next turn. */
  nearlyFull: () => boolean
  /** Makes room before the limit is hit; called between turns. False: even so it is over the limit. */
  relieve: () => Promise<boolean>
}

/** Every frame, in order, unchanged from turn to turn, so that prompt caches hold; made shorter only when it is nearly full.
 *  Making it shorter gives a new list: whoever holds the old one still sees all of it. */
export function createTranscript({ ceiling, count, known, summarise, redact, signal }: TranscriptOptions): Transcript {
  let frames: EngineLoopMessage[] = []
  let notBefore = 0

  /** `size` counts as the world does: after an overflow that nobody foresaw, what was counted was too little. */
  const compact = async (most: number, size: (messages: readonly EngineLoopMessage[]) => number): Promise<void> => {
    const shorter = shortenResults(frames, redact)
    const next = size(shorter) <= most * GOAL ? shorter : await folded(shorter, most, size)
    if (signal?.aborted) return
    frames = next
    notBefore = size(frames) + most * PAUSE
  }
  const folded = async (given: EngineLoopMessage[], most: number, size: (m: readonly EngineLoopMessage[]) => number) => {
    const { middle } = partsOf(given)
    // Without a turn among them they were folded already.
    if (!middle.some(({ role }) => role === 'assistant')) return given
    const summary = await summarise(middle).catch(() => null)
    const certain = known()
    const whole = foldMiddle(given, { known: certain, summary }, redact)
    return summary === null || size(whole) <= most * GOAL ? whole : foldMiddle(given, { known: certain, summary: null }, redact)
  }
  return {
    start: (system, user) => {
      frames = [
        { role: 'system', content: system },
        { role: 'user', content: user },
      ]
    },
    restore: given => {
      frames = [...given]
    },
    messages: () => frames,
    append: more => void frames.push(...more),
    overflow: async () => {
      const most = ceiling()
      const scale = Math.max(1, most / Math.max(1, count(frames)))
      const size = (messages: readonly EngineLoopMessage[]): number => count(messages) * scale
      const before = size(frames)
      await compact(most, size)
      return size(frames) < before && size(frames) <= most
    },
    nearlyFull: () => count(frames) > Math.min(ceiling(), Math.max(ceiling() * START_AT, notBefore)),
    relieve: async () => {
      await compact(ceiling(), count)
      return count(frames) <= ceiling()
    },
  }
}
