import type { TurnFacts, Verdict } from '../text/dialects/judge-turn.ts'

export type {
  EngineLoopAnswer,
  EngineLoopClient,
  EngineLoopMessage,
  EngineLoopResponse,
  EngineLoopTool,
  EngineToolCall,
  Usage,
} from '../kernel/frames.ts'

import type {
  EngineLoopAnswer,
  EngineLoopClient,
  EngineLoopMessage,
  EngineLoopResponse,
  EngineLoopTool,
  EngineToolCall,
} from '../kernel/frames.ts'

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

/** What a model sees of a loop. `overflow` makes room and says whether it could. */
export interface ContextStrategy {
  start: (system: string, user: string) => void
  messages: () => readonly EngineLoopMessage[]
  append: (frames: EngineLoopMessage[]) => void
  overflow: () => Promise<boolean>
}

/** Judges the last of a loop's turns. */
export type TurnJudge = (turns: readonly TurnFacts[]) => Verdict

/** Where an interrupted loop stood. The strategy holds the frames of the turns that had ended. */
export interface LoopState {
  turnsUsed: number
  tokensUsed: number
  toolCallCount: number
  facts: TurnFacts[]
  /** The reply of the interrupted turn, if it had come; its calls are carried out again through the executor, which knows what
   *  had been settled. */
  reply?: EngineLoopAnswer
}

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
