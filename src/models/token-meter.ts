import type { EngineLoopMessage, EngineLoopTool } from '../kernel/frames.ts'
import { prefixFold } from '../kernel/prefix-fold.ts'
import { estimateTokens } from './estimate.ts'

/** Counts what a request to one model would cost, ever better: a careful guess at first; once the model provider has counted a
 *  request itself, its figure and a guess of what was added since. */
export interface TokenMeter {
  count: (messages: readonly EngineLoopMessage[], tools?: readonly EngineLoopTool[]) => number
  /** What the model provider counted of a request. */
  learn: (messages: readonly EngineLoopMessage[], tools: readonly EngineLoopTool[], prompt: number) => void
}

/** For one conversation with one model. What a count costs grows with what is new, not with the conversation. */
export function createTokenMeter(): TokenMeter {
  const framesOf = prefixFold<EngineLoopMessage, number>(0, (sum, frame) => sum + estimateTokens([frame]))
  const guess = (messages: readonly EngineLoopMessage[], tools: readonly EngineLoopTool[]): number =>
    framesOf(messages) + estimateTokens([], tools)
  let known: { guessed: number; counted: number } | null = null
  return {
    count: (messages, tools = []) => {
      const guessed = guess(messages, tools)
      if (!known) return guessed
      // A shorter request is taken to be shorter in the same measure: what was left out was guessed no better than the rest.
      return guessed >= known.guessed
        ? known.counted + guessed - known.guessed
        : Math.ceil((known.counted * guessed) / Math.max(1, known.guessed))
    },
    learn: (messages, tools, prompt) => {
      if (prompt > 0) known = { guessed: guess(messages, tools), counted: prompt }
    },
  }
}
