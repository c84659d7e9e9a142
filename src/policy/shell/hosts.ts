import type { Word } from './word.ts'

const ADDRESS = /^(?:[A-Za-z][\w+.-]*:\/\/)?(?:[^@/\s]*@)?(\[[0-9A-Fa-f:.]+\]|[^/:?#\s@[\]{}]+)(?::(\d+))?(?:[/:?#]|$)/

/** The host of an address, with its port when one is written; `*` when it cannot be known. */
export function hostOf(word: Word | undefined): string {
  if (word === undefined || word.kind !== 'static') return '*'
  // A backslash is read as a slash by some programs and as part of the user by others.
  const match = word.text.includes('\\') ? null : ADDRESS.exec(word.text)
  if (!match?.[1]) return '*'
  const host = match[1].toLowerCase().replace(/\.$/, '')
  return match[2] === undefined ? host : `${host}:${match[2]}`
}

/** The host in `user@host:path`, which a plain path does not have. */
export function remoteHost(word: Word): string | null {
  if (word.text.includes('://')) return hostOf(word)
  const match = /^(?:[^@/:]+@)?([^/:@]+):/.exec(word.text)
  return match?.[1] ? (word.kind === 'static' ? match[1].toLowerCase() : '*') : null
}
