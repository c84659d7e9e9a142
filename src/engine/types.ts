import type { ContextStrategy, EngineLoopClient, EngineLoopResponse, EngineLoopTool, EngineToolCall } from '../kernel/frames.ts'
import type { LoopCounts, LoopState } from '../runs/loop-state.ts'
import type { TurnFacts, Verdict } from '../text/dialects/judge-turn.ts'

export const COMMAND_KINDS = ['code', 'explain', 'fix', 'plan', 'build'] as const
export type EngineCommandKind = (typeof COMMAND_KINDS)[number]

export interface EngineBudget {
  maxToolCalls: number
  maxTokens: number
}

/** Carries out one call. What it throws goes to the model as text; `ToolRefused` ends the loop. */
export type EngineLoopToolExecutor = (call: { name: string; arguments: string; callId: string }) => Promise<string>

export type ToolResult = { ok: true; content: string } | { ok: false; error: string }

/** Told of everything, in order, not awaited. What they throw changes nothing. */
export interface EngineLoopHooks {
  onTurnStart?: (turnIndex: number, messageCount: number) => void
  onTurnComplete?: (turnIndex: number, response: EngineLoopResponse) => void
  onToolCall?: (call: EngineToolCall) => void
  onToolResult?: (call: { id: string; name: string }, result: ToolResult) => void
  /** After all calls of a turn, when its frames are in the context. */
  onTurnEnd?: (counts: LoopCounts, facts: TurnFacts | null) => void
}

export interface EngineLoopOutcome {
  status: 'completed' | 'budget_exhausted' | 'tool_refused' | 'failed'
  finalText: string
  toolCallCount: number
  tokensUsed: number
  turnsUsed: number
  /** `code: sentence`; there if and only if the status is not `completed`. */
  reason?: string
  truncated?: true
}

/** Judges the last of a loop's turns. */
export type TurnJudge = (turns: readonly TurnFacts[]) => Verdict

export interface EngineLoopInput {
  client: EngineLoopClient
  executor: EngineLoopToolExecutor
  systemPrompt: string
  userPrompt: string
  tools: readonly EngineLoopTool[]
  budget: EngineBudget
  personaSlug: string
  hooks?: EngineLoopHooks
  temperature?: number
  signal?: AbortSignal
  context?: ContextStrategy
  judge?: TurnJudge
  /** Inside a brief a cut answer is no claim: the model is asked once to go on. */
  continueTruncated?: boolean
  resume?: LoopState
  /** Hears of a hook that failed, once per hook. */
  onHookFailure?: (hook: keyof EngineLoopHooks, error: unknown) => void
}

export type {
  ContextStrategy,
  EngineLoopAnswer,
  EngineLoopClient,
  EngineLoopMessage,
  EngineLoopResponse,
  EngineLoopTool,
  EngineToolCall,
  Usage,
} from '../kernel/frames.ts'
