import type { EngineLoopMessage, EngineLoopTool, Usage } from '../kernel/frames.ts'

export interface ModelRequest {
  messages: readonly EngineLoopMessage[]
  tools: readonly EngineLoopTool[]
  maxTokens: number
  temperature?: number
  signal?: AbortSignal
  /** Called when the request is on its way, where the transport can tell. */
  onSent?: (() => void) | undefined
  /** Called when anything comes of an answer, also what is no part of the reply. */
  onAlive?: (() => void) | undefined
}

export type FinishReason = 'stop' | 'tool_use' | 'length' | 'refused' | 'other'

/** One piece of a reply as it comes in. A call's `arguments` are JSON text; its deltas joined equal them. */
export type ModelPart =
  | { kind: 'text'; text: string }
  | { kind: 'thinking'; text: string }
  | { kind: 'call-start'; id: string; name: string }
  | { kind: 'call-delta'; id: string; text: string }
  | { kind: 'call'; id: string; name: string; arguments: string }
  | { kind: 'finish'; reason: FinishReason; usage: Usage | null }

/** One model of one model provider. The stream throws `ModelFailed`, and nothing else; a stream that ends without `finish` was
 *  cut. Retrying, budgets and dialects are not its part. */
export interface Model {
  /** As the provider names it. */
  readonly name: string
  /** Shares rate limits with every model of the same gate: model provider and key. */
  readonly gate: string
  /** It plays a script; said wherever a model is shown. */
  readonly scripted: boolean
  stream: (request: ModelRequest) => AsyncIterable<ModelPart>
}
