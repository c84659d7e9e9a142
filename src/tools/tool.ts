import type * as z from 'zod'
import type { Effect } from '../kernel/effect.ts'
import type { PolicyOperation } from '../policy/types.ts'
import type { PathEffect } from '../runs/attempt.ts'

// A tool is one leaf: what it asks leave for, what it would do, and doing it. Deciding, reserving, recording and cutting
// what a model reads is the executor's part, the same for all.

/** Where a run works. */
export interface ToolScene {
  /** Absolute: the checkout, or the place of the run. Paths that a model writes are relative to it. */
  root: string
  signal: AbortSignal
  /** Shows output while it comes; already redacted. */
  onOutput: (text: string) => void
  /** Shows what became of a file; absent where nobody looks, so that nothing is kept for it. */
  onChange?: (change: Changed) => void
}

/** A file before and after; null: not there. */
export interface Changed {
  path: string
  before: string | null
  after: string | null
}

/** What a tool asks leave for. */
export type Question = Pick<PolicyOperation, 'verb' | 'paths' | 'command' | 'url' | 'tool' | 'secret' | 'memory'>

/** A file of which something stands in a result. */
export interface Source {
  /** Relative to where the run works. */
  path: string
  /** Of the whole file as it was; null where it could not be read again. */
  sha256: string | null
  /** How much of it was given. */
  bytes: number
}

/** What a model gets. */
export interface ToolOutput {
  ok: boolean
  text: string
  exit?: number | undefined
  /** Files that the text is made of, where that is known. */
  sources?: Source[]
}

/** An effect that is ready to happen. Of a write it is known what each path will hold, so that after a crash it can be told
 *  whether it happened. */
export interface Prepared {
  paths?: PathEffect[]
  act: () => Promise<ToolOutput>
}

export interface Tool<I extends z.ZodObject = z.ZodObject> {
  name: string
  /** For the model; short, because it is sent with every request. */
  description: string
  effect: Effect
  /** What it gives comes from files or programs: data, marked as such. */
  foreign?: true
  input: () => I
  /** Null: it touches nothing and needs no leave. Throws `ToolRefused` where the kind of the run rules it out. */
  ask: (input: z.output<I>, scene: ToolScene) => Question | null | Promise<Question | null>
  /** What it would write or send, for the person who is asked; its beginning is shown. */
  preview?: (input: z.output<I>) => string
  /** Runs after leave was given. Throws `ToolError` with words that a model can act on. */
  prepare: (input: z.output<I>, scene: ToolScene) => Prepared | Promise<Prepared>
}

export type AnyTool = Tool

export function tool<I extends z.ZodObject>(definition: Tool<I>): AnyTool {
  let schema: I | undefined
  return { ...definition, input: () => (schema ??= definition.input()) } as Tool<I>
}

/** Something that the model can mend: said to it in words, never a fault of QED. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}
