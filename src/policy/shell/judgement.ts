import type { Access, Ambiguity, Facts, Flag, ShellClass } from '../types.ts'
import type { Folders } from './folders.ts'
import type { Word } from './word.ts'

/** What stands before a command's standard input. */
export type Stdin =
  | { kind: 'none' }
  | { kind: 'file'; word: Word }
  /** `text` is null when an expansion changes it. */
  | { kind: 'text'; text: string | null }
  | { kind: 'pipe'; network: boolean; listing: readonly PathUse[] | null }

/** One simple command without wrappers, as a judge sees it. */
export interface Call {
  /** The trusted name, or null when the program is another file than the known one. */
  name: string | null
  /** The last part of the program word, for tables that only make things stricter. */
  base: string
  args: readonly Word[]
  folders: Folders
  /** Where the whole command starts. */
  start: string
  stdin: Stdin
  facts: Facts
  /** Nothing before it in the command changes anything, so that what the facts say about contents still holds. */
  isUndisturbed: boolean
  /** The folders a listing came from when `find -exec` or `xargs` adds operands. */
  fed: readonly PathUse[] | null
  /** What a script or command does that runs elsewhere or cannot be followed: only its worst flags. */
  harmOf(what: string | readonly Word[]): Flag[]
}

export interface PathUse {
  word: Word
  access: Access
  recursive?: boolean
  excludes?: string[]
  only?: string[]
  /** Only some of what is below it. */
  partial?: boolean
  skipsIgnored?: boolean
}

export interface HostUse {
  host: string
  verb: 'net.get' | 'net.send'
}

/** What a judge finds out. Everything left out means: nothing of that kind. */
export interface Judgement {
  class: ShellClass
  flags?: Flag[]
  /** Why `ambiguous` is among the flags, when it is not a dynamic word. */
  ambiguity?: Ambiguity
  paths?: PathUse[]
  hosts?: HostUse[]
  /** Names of variables that would be printed; `*` for all. */
  secrets?: string[]
  /** Whole trees that are deleted or changed: grave when one of them is a system folder, the home or a root. */
  wipes?: readonly Word[]
  /** Commands that the program starts for what it finds. */
  inner?: { argv: Word[]; fed: PathUse[] }[]
  /** The text is outside the grammar that is understood. */
  unknown?: string
  /** Where the shell stands afterwards, when the command moves it. */
  movesTo?: (folders: Folders) => Folders
  /** The folders that paths are relative to, where they differ from the shell's. */
  folders?: Folders
  /** Words of unknown value do no harm here. */
  toleratesDynamic?: boolean
  /** Whether every path among the words is in `paths`; otherwise they are guessed. */
  knowsPaths?: boolean
}

export type Judge = (call: Call) => Judgement
