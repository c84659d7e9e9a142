import type { SegmentWord, WordKind } from './reading.ts'

/** A word as the judges see it. */
export interface Word extends SegmentWord {
  /** Holds an expansion outside quotes, so that it may become several words or none. */
  splits?: boolean
  /** Filled in by `xargs` or `find -exec` from a listing. */
  fed?: boolean
  /** The name of a pipe made by a process substitution; no file stands behind it. */
  pipe?: boolean
}

export function staticWord(text: string): Word {
  return { text, kind: 'static' }
}

export function wordOf(text: string, kind: WordKind): Word {
  return { text, kind }
}

export function shown({ text, kind }: Word): SegmentWord {
  return { text, kind }
}

/** The rest of a word from an offset on, keeping what is known about it. */
export function restOf(word: Word, from: number): Word {
  return { ...word, text: word.text.slice(from) }
}

export function isStatic(word: Word | undefined, text: string): boolean {
  return word !== undefined && word.kind === 'static' && word.text === text
}
