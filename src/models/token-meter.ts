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

/** No guess is so far off. A server that counts less has left out a part of the request in silence. */
const LEAST = 0.5

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
      const longer = guessed - known.guessed
      const counted = longer >= 0 ? known.counted + longer : (known.counted * guessed) / known.guessed
      return Math.ceil(Math.max(counted, guessed * LEAST))
    },
    learn: (messages, tools, prompt) => {
      if (prompt > 0) known = { guessed: guess(messages, tools), counted: prompt }
    },
  }
}
