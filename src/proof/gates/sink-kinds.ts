import type { Language } from '../source/language.ts'

export const SINK_KINDS = {
  'dynamic-code': 'runs text as code',
  'shell-string': 'runs a command that is joined from pieces',
  'sql-string': 'asks a database with text that is joined from pieces',
  'raw-html': 'puts text into a page as it is',
  'tls-off': 'does not check who is at the other end',
  'weak-hash': 'keeps a password with a hash that is quickly guessed',
  'unsafe-deserialising': 'makes objects of whatever it is given',
  'world-writable': 'lets everyone on the machine write',
  'path-from-input': 'opens a path that someone else names',
} as const
export type SinkKind = keyof typeof SINK_KINDS

/** One form of a dangerous call, on one line. Examples are checked by a test. */
export interface Sink {
  kind: SinkKind
  languages: readonly Language[]
  /** `code`: what stands in strings is blank; `plain`: only comments are. */
  layer: 'code' | 'plain'
  form: RegExp
  hits: readonly string[]
  misses: readonly string[]
}

export const JS = ['javascript', 'typescript'] as const
export const JVM = ['java', 'kotlin'] as const
export const SHELL = ['shell', 'bats'] as const
