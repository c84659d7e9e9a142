import type { Access, Category, Facet, Facts, Flag, ShellClass } from './types.ts'

// What deciding needs to know of a command. The reader behind it takes shell text apart; nothing here looks at shell text.

export interface ShellWord {
  text: string
  kind: 'static' | 'dynamic' | 'glob'
}

/** One command as it stands on one level of its wrappers: level 0 is what was written, the last is what really runs. */
export interface ShellLevel {
  argv: ShellWord[]
  /** Whether the wrapper around this level passes everything through unchanged. True for level 0. */
  transparent: boolean
  program: string
  /** First operand after the program's global options. */
  subcommand: string | null
  operands: string[]
  /** Whether it has a flag, in any spelling that the program takes for it. */
  hasFlag(flag: string): boolean
}

export interface ShellSegment {
  index: number
  text: string
  range: { start: number; end: number }
  program: string
  argv: ShellWord[]
  via: 'top' | 'substitution' | 'subshell' | 'wrapper' | 'heredoc' | 'exec'
  wrappers: string[]
  assignments: { name: string; value: ShellWord }[]
  redirects: { operator: string; target: ShellWord | null; fd: number | null }[]
  /** Folders in which it may run; null where that cannot be known. */
  cwd: string[] | null
  class: ShellClass
  category: Category
  flags: Flag[]
  paths: {
    path: string
    access: Access
    recursive?: boolean
    glob?: boolean
    inferred?: boolean
    excludes?: string[]
    only?: string[]
    partial?: boolean
    skipsIgnored?: boolean
  }[]
  levels: ShellLevel[]
}

/** A command understood as far as it can be. A facet of a simple command carries `segment` and no `path` or `host`; facets of
 *  its paths and hosts carry the same `segment`. Paths are absolute, or relative to the operation's folder with every `cd` applied.
 *  `recursive` on a read means that sensitive files below would be read. */
export interface ShellReading {
  grammar: 'known' | 'unknown'
  unknown_reason?: string
  class: ShellClass
  segments: ShellSegment[]
  facets: Facet[]
}

/** Reads shell text, or words that are judged as one simple command. Pure; never throws. */
export type ReadShell = (command: string | { argv: string[] }, at: { cwd: string; facts: Facts }) => ShellReading
