import type { ContextStrategy, EngineLoopMessage } from '../../kernel/frames.ts'
import { foldMiddle, partsOf, shortenResults } from './compact.ts'

export interface TranscriptOptions {
  /** Most tokens of one request. */
  ceiling: number
  count: (messages: readonly EngineLoopMessage[]) => number
  /** What QED itself knows of the work, word for word: the goal, open criteria, changed files, the last failure, the budget. */
  known: () => string
  /** A model's summary of some frames; null where it could not be had. */
  summarise: (frames: readonly EngineLoopMessage[]) => Promise<string | null>
  /** Told of each compaction: both counts and the frames that were replaced. */
  onCompacted?: (about: { before: number; after: number; replaced: readonly EngineLoopMessage[] }) => void
}

const START_AT = 0.8
const GOAL = 0.6

export interface Transcript extends ContextStrategy {
  /** Takes over frames of a loop that was interrupted. */
  restore: (frames: readonly EngineLoopMessage[]) => void
  /** Makes room before the limit is hit; called between turns. */
  relieve: () => Promise<void>
}

/** Every frame, in order, unchanged from turn to turn, so that prompt caches hold; made shorter only when it is nearly full. */
export function createTranscript({ ceiling, count, known, summarise, onCompacted }: TranscriptOptions): Transcript {
  let frames: EngineLoopMessage[] = []
  const replace = (next: EngineLoopMessage[], before: number): void => {
    const kept = new Set(next)
    const replaced = frames.filter(frame => !kept.has(frame))
    frames = next
    onCompacted?.({ before, after: count(next), replaced })
  }
  const compact = async (): Promise<boolean> => {
    const before = count(frames)
    const shorter = shortenResults(frames)
    if (count(shorter) <= ceiling * GOAL) {
      replace(shorter, before)
      return true
    }
    const { middle } = partsOf(shorter)
    if (middle.length === 0) return false
    const summary = await summarise(middle).catch(() => null)
    const folded = foldMiddle(shorter, { known: known(), summary })
    const fits = summary === null || count(folded) <= ceiling * GOAL
    replace(fits ? folded : foldMiddle(shorter, { known: known(), summary: null }), before)
    return count(frames) <= ceiling
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
    overflow: compact,
    relieve: async () => {
      if (count(frames) > ceiling * START_AT) await compact()
    },
  }
}
