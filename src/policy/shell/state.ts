import type { ParsedScript } from 'unbash'
import type { Ambiguity, Facts, Flag } from '../types.ts'
import type { Folders } from './folders.ts'
import type { HostUse, PathUse, Stdin } from './judgement.ts'
import type { Segment, SegmentLevels, SegmentWord, Via } from './reading.ts'
import type { Word } from './word.ts'

/** What was taken off around a command. */
interface Outer {
  wrappers: readonly string[]
  levels: readonly SegmentWord[][]
  transparent: boolean
  flags: readonly Flag[]
}

/** Where a command stands in the text. Never changed; a step inwards makes a new one. */
export interface ShellState {
  folders: Folders
  via: Via
  depth: number
  stdin: Stdin
  /** What a loop variable goes through. */
  variables: ReadonlyMap<string, readonly Word[]>
  outer: Outer
  /** The range that stands for everything inside a nested text. */
  origin: [number, number] | null
  source: string
  /** Set when a listing adds operands to what is read next. */
  fed: readonly PathUse[] | null
}

/** A segment while it is being put together. */
export interface Draft {
  segment: Segment
  levels: SegmentLevels
  hosts: HostUse[]
  secrets: string[]
  ambiguity: Ambiguity | null
}

/** What one reading gathers, handed from part to part. */
export interface Reader {
  facts: Facts
  /** Where the whole command starts. */
  start: string
  drafts: Draft[]
  unknown(reason: string): void
  readScript(text: string, state: ShellState): Folders
  /** Judges words as a command of their own. */
  readWords(argv: Word[], state: ShellState): void
  harmOf(what: string | readonly Word[], state: ShellState): Flag[]
  /** Whether the text or a nested one may give the variable another value. */
  isReassigned(name: string): boolean
}

/** A reader that also walks what the parser gave and counts words. */
export interface Walker extends Reader {
  wordCount: number
  /** A variable that was given a secret, which is one from then on. */
  taint(name: string): void
  isTainted(name: string): boolean
  walkParsed(script: ParsedScript, state: ShellState): Folders
}
