import type { Effect } from '../../kernel/effect.ts'

export type { Effect }
export type JsonSchema = Record<string, unknown>

/** A tool as the dialects need to know it. */
export interface Shape {
  name: string
  effect?: Effect | undefined
  parameters?: JsonSchema | undefined
  /** The argument that a tag's body fills. */
  body?: string | undefined
}

export const DIALECTS = ['auto', 'tags', 'native', 'none'] as const
export type Dialect = (typeof DIALECTS)[number]

export const SOURCES = [
  'tag',
  'json',
  'qwen_xml',
  'glm',
  'bar_call',
  'mistral',
  'pythonic',
  'tool_code',
  'openai',
  'anthropic',
  'tool_use',
  'function_xml',
  'deepseek',
  'kimi',
  'harmony',
] as const
export type Source = (typeof SOURCES)[number]

export const WARNING_CODES = [
  'unclosed',
  'mismatched_close',
  'stray_close',
  'unbalanced_quote',
  'unclosed_fence',
  'thinking_orphan',
  'thinking_unclosed',
  'alias',
  'type',
  'json_repaired',
  'unparsed_call',
  'positional',
  'call_cap',
  'too_long',
  'duplicate_argument',
] as const
export type WarningCode = (typeof WARNING_CODES)[number]

export interface Warning {
  code: WarningCode
  message: string
  at: number
}

export interface Call {
  id: string
  name: string
  arguments: Record<string, unknown>
  source: Source
  /** UTF-16 offsets into the reply, end exclusive. */
  span: [number, number]
}

export const REJECTIONS = ['incomplete', 'unknown_tool', 'bad_target'] as const
export type Rejection = (typeof REJECTIONS)[number]

export interface RejectedCall extends Call {
  status: Rejection
  /** For the model: what was wrong and what to send instead. */
  message: string
}

export interface ParsedReply {
  calls: Call[]
  /** Calls that must not run. Each becomes a failed result in its place of the order. */
  rejected: RejectedCall[]
  text: string
  thinking?: string
  warnings: Warning[]
}

export interface ParseOptions {
  dialect?: Dialect | undefined
  tools?: readonly Shape[] | undefined
}
