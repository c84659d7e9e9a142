import type { EngineLoopAnswer } from '../kernel/frames.ts'
import type { TurnFacts } from '../text/dialects/judge-turn.ts'

export interface LoopCounts {
  turnsUsed: number
  tokensUsed: number
  toolCallCount: number
}

/** Where an interrupted loop stood. The strategy holds the frames of the turns that had ended. */
export interface LoopState extends LoopCounts {
  facts: TurnFacts[]
  /** The reply of the interrupted turn, if it had come; its calls are carried out again through the executor, which knows what
   *  had been settled. */
  reply?: EngineLoopAnswer
}
