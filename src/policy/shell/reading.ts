import { type Access, type Facet, type Flag, SHELL_CLASSES, type ShellClass } from '../types.ts'

export type WordKind = 'static' | 'dynamic' | 'glob'

export interface SegmentWord {
  /** A static word's value; a dynamic word as written, quotes off; a glob as a pattern in which quoted characters are escaped. */
  text: string
  kind: WordKind
}

export type Via = 'top' | 'substitution' | 'subshell' | 'wrapper' | 'heredoc' | 'exec'

export interface SegmentAssignment {
  name: string
  value: SegmentWord
}

export interface SegmentRedirect {
  operator: string
  descriptor: number | null
  target: SegmentWord
}

export interface SegmentPath {
  /** Absolute, `..` kept as written because only the disk knows where it leads. */
  path: string
  access: Access
  recursive?: boolean
  /** `path` is a pattern for which no facts were given. */
  glob?: boolean
  inferred?: boolean
  excludes?: string[]
  only?: string[]
  partial?: boolean
  skipsIgnored?: boolean
}

/** One simple command, after its wrappers came off. */
export interface Segment {
  index: number
  text: string
  /** UTF-16 offsets into the command, end exclusive; of the outer command where the text was inside a word. */
  range: [number, number]
  program: string
  argv: SegmentWord[]
  via: Via
  wrappers: string[]
  assignments: SegmentAssignment[]
  redirects: SegmentRedirect[]
  /** The folders it may run in, or null when that cannot be known. */
  cwd: string[] | null
  class: ShellClass
  category: 'shell' | 'git'
  flags: Flag[]
  paths: SegmentPath[]
}

/** What rules are tried on: outermost first, the last one is the segment's own argv. */
export interface SegmentLevels {
  argvs: SegmentWord[][]
  /** Whether allow rules may look through every wrapper. */
  transparent: boolean
}

export interface ShellReading {
  grammar: 'known' | 'unknown'
  unknown_reason?: string
  class: ShellClass
  segments: Segment[]
  /** By segment index. */
  levels: SegmentLevels[]
  facets: Facet[]
}

export function graver(a: ShellClass, b: ShellClass): ShellClass {
  return SHELL_CLASSES.indexOf(a) >= SHELL_CLASSES.indexOf(b) ? a : b
}
