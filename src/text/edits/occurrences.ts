import type { Deadline } from './deadline.ts'
import { hasHalfAtEdge, partsPair } from './surrogates.ts'

/** Where a text occurs in another, overlapping places too, in time linear in both. */

// The engine's own search is the fastest for short needles but can become quadratic for long ones that repeat themselves.
const LONG_NEEDLE = 256

/** Calls `visit` with each place from the left until it answers false. A place that parts a character is none. */
export function eachOccurrence(text: string, needle: string, from: number, visit: (at: number) => boolean): void {
  if (!hasHalfAtEdge(needle)) return eachUnitRun(text, needle, from, visit)
  eachUnitRun(text, needle, from, at => partsPair(text, at) || partsPair(text, at + needle.length) || visit(at))
}

function eachUnitRun(text: string, needle: string, from: number, visit: (at: number) => boolean): void {
  if (needle === '' || needle.length > text.length) return
  if (needle.length <= LONG_NEEDLE) {
    for (let at = text.indexOf(needle, from); at >= 0; at = text.indexOf(needle, at + 1)) if (!visit(at)) return
    return
  }
  const head = needle.slice(0, LONG_NEEDLE)
  const rest = needle.slice(LONG_NEEDLE)
  // Comparing the rest at every place of the head is quick unless it happens too often; then the sure way takes over.
  let compared = 0
  for (let at = text.indexOf(head, from); at >= 0; at = text.indexOf(head, at + 1)) {
    if (compared > 4 * text.length) return eachByPrefixes(text, needle, at, visit)
    compared += rest.length
    if (text.startsWith(rest, at + LONG_NEEDLE) && !visit(at)) return
  }
}

const BREAK = 0x0a

/** Calls `visit` with the start and end of each place where the lines stand as whole lines, until it answers false. */
export function eachLineRun(text: string, lines: readonly string[], from: number, visit: (start: number, end: number) => boolean): void {
  const joined = lines.join('\n')
  // A line break of its own on one side makes a needle of a lone empty line, and the text's last break ends a line, it starts none.
  const needle = lines.at(-1) === '' ? `${joined}\n` : joined
  eachOccurrence(text, needle, from, start => {
    const end = start + joined.length
    const startsLine = start === 0 || text.charCodeAt(start - 1) === BREAK
    const endsLine = end === text.length || text.charCodeAt(end) === BREAK
    return startsLine && endsLine ? visit(start, end) : true
  })
}

/** The first place where the lines stand as whole lines, or -1. */
export function firstLineRun(text: string, lines: readonly string[]): number {
  let found = -1
  eachLineRun(text, lines, 0, start => {
    found = start
    return false
  })
  return found
}

/** The places from the left that do not overlap. */
export function separateOccurrences(text: string, needle: string, deadline: Deadline): number[] {
  const places: number[] = []
  let free = 0
  let seen = 0
  eachOccurrence(text, needle, 0, at => {
    if ((++seen & 0xffff) === 0) deadline.check()
    if (at < free) return true
    places.push(at)
    free = at + needle.length
    return true
  })
  return places
}

/** Knuth, Morris and Pratt: no unit of the text is looked at again. */
function eachByPrefixes(text: string, needle: string, from: number, visit: (at: number) => boolean): void {
  const fallback = prefixTable(needle.length, (a, b) => needle.charCodeAt(a) === needle.charCodeAt(b))
  let matched = 0
  for (let i = from; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    while (matched > 0 && needle.charCodeAt(matched) !== unit) matched = fallback[matched - 1] ?? 0
    if (needle.charCodeAt(matched) === unit) matched++
    if (matched < needle.length) continue
    if (!visit(i - needle.length + 1)) return
    matched = fallback[matched - 1] ?? 0
  }
}

function prefixTable(length: number, same: (a: number, b: number) => boolean): Int32Array {
  const table = new Int32Array(length)
  for (let i = 1, matched = 0; i < length; i++) {
    while (matched > 0 && !same(i, matched)) matched = table[matched - 1] ?? 0
    if (same(i, matched)) matched++
    table[i] = matched
  }
  return table
}

/** Where lines with the wanted keys stand one after the other, overlapping places too. */
export function runsOf(lines: readonly string[], keyOf: (line: string) => string, wanted: readonly string[], from: number): number[] {
  const ids = new Map<string, number>()
  const needle = wanted.map(key => {
    const id = ids.get(key) ?? ids.size
    ids.set(key, id)
    return id
  })
  const fallback = prefixTable(needle.length, (a, b) => needle[a] === needle[b])
  const found: number[] = []
  let matched = 0
  for (let i = from; i < lines.length; i++) {
    const id = ids.get(keyOf(lines[i] ?? '')) ?? -1
    while (matched > 0 && needle[matched] !== id) matched = fallback[matched - 1] ?? 0
    if (needle[matched] === id) matched++
    if (matched < needle.length) continue
    found.push(i - needle.length + 1)
    matched = fallback[matched - 1] ?? 0
  }
  return found
}
