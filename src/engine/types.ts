import type { TurnFacts, Verdict } from '../text/dialects/judge-turn.ts'
import type { Effect } from '../text/dialects/types.ts'

export const COMMAND_KINDS = ['code', 'explain', 'fix', 'plan', 'build'] as const
export type EngineCommandKind = (typeof COMMAND_KINDS)[number]

export interface EngineBudget {
  maxToolCalls: number
  maxTokens: number
}

/** `arguments` is JSON text as the model wrote it; checking it is the executor's part. */
export interface EngineToolCall {
  id: string
  name: string
  arguments: string
}

export interface EngineLoopMessage {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string
  /** Of an assistant. */
  toolCalls?: EngineToolCall[] | undefined
  /** Of a tool: the call that it answers. */
  toolCallId?: string | undefined
  toolName?: string | undefined
}

export interface EngineLoopTool {
  name: string
  description: string
  parameters?: unknown
  /** What carrying it out does; known by name for the built-in ones. */
  effect?: Effect | undefined
}

/** Tokens of one model call. `cached` and `cacheWrite` are parts of `prompt`, `reasoning` is a part of `completion`. */
export interface Usage {
  prompt: number
  cached: number
  cacheWrite: number
  completion: number
  reasoning: number
  total: number
  costMicroUsd?: number | undefined
}

export const ERROR_CODES = ['auth_missing', 'endpoint_missing', 'rate_limited', 'failed', 'budget', 'context_overflow'] as const

export type EngineLoopResponse =
  | {
      stop: 'tool_use'
      assistantMessage: EngineLoopMessage
      tokensUsed: number
      /** Calls that the dialect found doubtful. They never run. */
      rejected?: { id: string; message: string }[] | undefined
      usage?: Usage | undefined
    }
  | {
      stop: 'text'
      assistantMessage: EngineLoopMessage
      content: string
      tokensUsed: number
      truncated?: boolean | undefined
      rejected?: { id: string; message: string }[] | undefined
      usage?: Usage | undefined
    }
  | { stop: 'error'; code: (typeof ERROR_CODES)[number]; message: string; retryAt?: string | undefined }

export type EngineLoopAnswer = Exclude<EngineLoopResponse, { stop: 'error' }>

export interface SendOptions {
  personaSlug: string
  maxTokens?: number
  temperature?: number
  signal?: AbortSignal
}

/** Asks a model for one turn. Whatever goes wrong is a response of `stop: 'error'`; a rejection counts as one of code `failed`. */
export interface EngineLoopClient {
  send: (messages: readonly EngineLoopMessage[], tools: readonly EngineLoopTool[], options: SendOptions) => Promise<EngineLoopResponse>
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
