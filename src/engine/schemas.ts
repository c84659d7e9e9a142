import * as z from 'zod'
import { ERROR_CODES } from '../kernel/frames.ts'
import * as types from './types.ts'

// The shapes of the wire. Unknown keys are stripped, never an error, so that old and new programs can talk.

const count = () => z.int().nonnegative()

export const EngineCommandKind = z.enum(types.COMMAND_KINDS)
export type EngineCommandKind = types.EngineCommandKind
export const EngineBudget = z.object({ maxToolCalls: count(), maxTokens: count() })
export type EngineBudget = types.EngineBudget
const EngineToolCall = z.object({ id: z.string(), name: z.string(), arguments: z.string() })
export const EngineLoopMessage = z.object({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.string(),
  toolCalls: z.array(EngineToolCall).optional(),
  toolCallId: z.string().optional(),
  toolName: z.string().optional(),
})
export type EngineLoopMessage = types.EngineLoopMessage
export const EngineLoopTool = z.object({ name: z.string().min(1), description: z.string(), parameters: z.unknown().optional() })
export type EngineLoopTool = types.EngineLoopTool
export const Usage = z.object({
  prompt: count(),
  cached: count(),
  cacheWrite: count(),
  completion: count(),
  reasoning: count(),
  total: count(),
  costMicroUsd: count().optional(),
})
export type Usage = types.Usage

const answer = {
  assistantMessage: EngineLoopMessage,
  tokensUsed: z.number(),
  rejected: z.array(z.object({ id: z.string(), message: z.string() })).optional(),
  usage: Usage.optional(),
}
export const EngineLoopResponse = z.discriminatedUnion('stop', [
  z.object({ stop: z.literal('tool_use'), ...answer }),
  z.object({ stop: z.literal('text'), ...answer, content: z.string(), truncated: z.boolean().optional() }),
  z.object({ stop: z.literal('error'), code: z.enum(ERROR_CODES), message: z.string(), retryAt: z.string().optional() }),
])
export type EngineLoopResponse = types.EngineLoopResponse
export const EngineLoopOutcome = z.object({
  status: z.enum(['completed', 'budget_exhausted', 'tool_refused', 'failed']),
  finalText: z.string(),
  toolCallCount: count(),
  tokensUsed: z.number().nonnegative(),
  turnsUsed: count(),
  reason: z.string().optional(),
  truncated: z.literal(true).optional(),
})

export type EngineLoopOutcome = types.EngineLoopOutcome
