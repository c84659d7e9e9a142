import type { Effect } from './effect.ts'

// What goes between a loop and a model: frames, tools, replies.

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

/** Something in a reply that was read otherwise than it stands there; `at` is where, as an offset into it. */
export interface ReplyWarning {
  code: string
  message: string
  at: number
}

export type EngineLoopResponse =
  | {
      stop: 'tool_use'
      assistantMessage: EngineLoopMessage
      tokensUsed: number
      /** Calls that the dialect found doubtful. They never run. */
      rejected?: { id: string; message: string }[] | undefined
      warnings?: ReplyWarning[] | undefined
      usage?: Usage | undefined
    }
  | {
      stop: 'text'
      assistantMessage: EngineLoopMessage
      content: string
      tokensUsed: number
      truncated?: boolean | undefined
      rejected?: { id: string; message: string }[] | undefined
      warnings?: ReplyWarning[] | undefined
      usage?: Usage | undefined
    }
  | {
      stop: 'error'
      code: (typeof ERROR_CODES)[number]
      message: string
      retryAt?: string | undefined
      /** What had come of a reply that broke off: for the record, never carried out and never sent. */
      partial?: string | undefined
    }

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

/** What a model sees of a loop. `overflow` makes room and says whether it could. */
export interface ContextStrategy {
  start: (system: string, user: string) => void
  messages: () => readonly EngineLoopMessage[]
  append: (frames: EngineLoopMessage[]) => void
  overflow: () => Promise<boolean>
}
