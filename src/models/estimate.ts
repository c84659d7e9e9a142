import type { EngineLoopMessage, EngineLoopTool } from '../kernel/frames.ts'
import { countTokens } from './count-tokens.ts'

/** What a frame costs beside its words: role, separators, ids. */
const FRAME_TOKENS = 6

// Frames are kept and sent again each turn; each is counted once.
const counted = new WeakMap<EngineLoopMessage, number>()

/** A careful guess before the model provider's own count is known. */
export function estimateTokens(messages: readonly EngineLoopMessage[], tools: readonly EngineLoopTool[] = []): number {
  return messages.reduce((sum, message) => sum + tokensOf(message), tools.length === 0 ? 0 : toolTokens(tools))
}

function tokensOf(message: EngineLoopMessage): number {
  const known = counted.get(message)
  if (known !== undefined) return known
  const calls = (message.toolCalls ?? []).map(call => `${call.name} ${call.arguments}`).join('\n')
  const tokens = FRAME_TOKENS + countTokens(message.content) + (calls === '' ? 0 : countTokens(calls))
  counted.set(message, tokens)
  return tokens
}

const countedTools = new WeakMap<readonly EngineLoopTool[], number>()

function toolTokens(tools: readonly EngineLoopTool[]): number {
  const known = countedTools.get(tools)
  if (known !== undefined) return known
  const tokens = countTokens(JSON.stringify(tools))
  countedTools.set(tools, tokens)
  return tokens
}
