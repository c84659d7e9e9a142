import type { EngineLoopAnswer, EngineLoopMessage } from './types.ts'

const CHARACTERS_PER_TOKEN = 4

/** What a turn cost: the model provider's own count, or, where it gave none, a count from the characters that went both ways. */
export function tokensOf(answer: EngineLoopAnswer, sent: readonly EngineLoopMessage[]): number {
  if (Number.isFinite(answer.tokensUsed) && answer.tokensUsed > 0) return answer.tokensUsed
  const characters = sent.reduce((sum, message) => sum + charactersOf(message), charactersOf(answer.assistantMessage))
  return Math.ceil(characters / CHARACTERS_PER_TOKEN)
}

function charactersOf({ content, toolCalls = [] }: EngineLoopMessage): number {
  return toolCalls.reduce((sum, call) => sum + call.name.length + call.arguments.length, content.length)
}
