import type { Word } from './word.ts'

const ADDRESS = /^(?:[A-Za-z][\w+.-]*:\/\/)?(?:[^@/\s]*@)?(\[[0-9A-Fa-f:.]+\]|[^/:?#\s@[\]{}]+)(?::(\d+))?(?:[/:?#]|$)/

/** The host of an address, with its port when one is written; `*` when it cannot be known. */
export function hostOf(word: Word | undefined): string {
  if (word === undefined || word.kind !== 'static') return '*'
  // A backslash is read as a slash by some programs and as part of the user by others.
  const match = word.text.includes('\\') ? null : ADDRESS.exec(word.text)
  if (!match?.[1]) return '*'
  const host = canonicalHost(match[1].toLowerCase().replace(/\.$/, ''))
  return match[2] === undefined || host === '*' ? host : `${host}:${match[2]}`
}

const MAY_BE_SPELLED_OTHERWISE = /[^a-z0-9._-]|(?:^|\.)(?:0x[0-9a-f]*|\d+)$/

/** One spelling for one host: numbers and letters of other alphabets are resolved as programs do it. */
function canonicalHost(host: string): string {
  if (!MAY_BE_SPELLED_OTHERWISE.test(host)) return host
  const url = `http://${host}/`
  return URL.canParse(url) ? new URL(url).hostname : '*'
}

/** The host in `user@host:path`, which a plain path does not have. */
export function remoteHost(word: Word): string | null {
  if (word.text.includes('://')) return hostOf(word)
  const match = /^(?:[^@/:]+@)?([^/:@]+):/.exec(word.text)
  return match?.[1] ? (word.kind === 'static' ? canonicalHost(match[1].toLowerCase().replace(/\.$/, '')) : '*') : null
}
