import type { Op } from './line-edit.ts'
import type { Warning } from './types.ts'

/** Every format is read into these; what applies them knows no format. */

/** Whole lines are replaced. */
export interface LinesStep {
  kind: 'lines'
  ops: readonly Op[]
  /** A line of the original at which the old lines are said to start. */
  hint?: number
  /** Lines that stand before the place, one after the other. */
  anchors: readonly string[]
  /** Only places after the end of the step before it. */
  inOrder: boolean
  /** Must end with the last line of the file. */
  atEnd: boolean
  /** Without old lines: put the new ones at the end of the file instead of refusing. */
  appends: boolean
  /** Says that the file's last line break comes or goes. */
  finalBreak?: 'added' | 'removed'
  /** Where it stands in the edit text. */
  line: number
}

/** Text is replaced wherever it stands. */
export interface TextStep {
  kind: 'text'
  search: string
  replace: string
  all: boolean
  line: number
}

export interface SedStep {
  kind: 'sed'
  /** With only the delimiter unescaped. */
  search: string
  /** As written. */
  replacement: string
  delimiter: string
  flags: string
  line: number
}

/** The whole content is replaced. */
export interface ContentStep {
  kind: 'content'
  content: string
  /** Taken as a text with its own line ends, or as lines that take the file's. */
  as: 'text' | 'lines'
  line: number
}

export type Step = LinesStep | TextStep | SedStep | ContentStep

/** What a text says about one file. */
export interface FileEdit {
  /** As named in the text, without prefixes; undefined where it names none. */
  path: string | undefined
  /** The new path of a rename. */
  to?: string
  /** `create` wants no file there, `add` takes its place, `delete` removes it. */
  intent: 'edit' | 'create' | 'add' | 'delete'
  steps: readonly Step[]
  /** Line of the edit text. */
  line: number
}

export interface Reading {
  files: readonly FileEdit[]
  warnings: readonly Warning[]
}
