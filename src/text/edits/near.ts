import type { Deadline } from './deadline.ts'
import { diceWith, mostDice } from './dice.ts'
import { folded } from './folding.ts'
import type { Search } from './levels.ts'
import { SHOWN } from './limits.ts'
import { newLines } from './line-edit.ts'
import { isBlankLine, lineNumberAt, linesOf, trimBlanks } from './lines.ts'
import { locate } from './locate.ts'
import { eachOccurrence, firstLineRun } from './occurrences.ts'
import type { TextView } from './text-view.ts'
import type { Near, NearReason } from './types.ts'

const CANDIDATES = 20
const LEAST_SIMILARITY = 0.4
const LEAST_APPLIED = 10

/** What was wanted and not found. */
export interface Wanted {
  search: Search
  /** The text that was to be written. */
  replacement: string
}

/** Where the model should look instead. */
export function nearest(view: TextView, wanted: Wanted): Near | undefined {
  const old = wanted.search.lines?.old ?? linesOf(wanted.search.text ?? '')
  return (
    appliedAlready(view, wanted) ??
    outOfOrder(view, wanted.search, old.length) ??
    insideLine(view, wanted.search, old) ??
    mostSimilar(view, old, wanted.search.deadline)
  )
}

function appliedAlready(view: TextView, { search, replacement }: Wanted): Near | undefined {
  const lines = search.text === undefined && search.lines ? newLines(search.lines.ops) : linesOf(replacement)
  const text = search.text === undefined ? lines.join('\n') : replacement
  if (text.length < LEAST_APPLIED) return undefined
  const offset = search.text === undefined ? firstLineRun(view.text, lines) : firstOffset(view.text, text)
  return offset < 0 ? undefined : placeNear(view, offset, lines.length, 'applied')
}

function outOfOrder(view: TextView, search: Search, count: number): Near | undefined {
  if (search.from === 0) return undefined
  const found = locate(view, { ...search, from: 0 }, { kind: 'first' })
  const place = found.kind === 'one' ? found.place : found.kind === 'many' ? found.places[0] : undefined
  return place && placeNear(view, place.offset, count, 'order')
}

function insideLine(view: TextView, search: Search, old: readonly string[]): Near | undefined {
  if (search.text !== undefined || old.every(isBlankLine)) return undefined
  const offset = firstOffset(view.text, old.join('\n'))
  return offset < 0 ? undefined : placeNear(view, offset, old.length, 'midline')
}

function firstOffset(text: string, needle: string): number {
  let found = -1
  eachOccurrence(text, needle, 0, at => {
    found = at
    return false
  })
  return found
}

function placeNear(view: TextView, offset: number, count: number, reason: NearReason): Near {
  const line = lineNumberAt(view.text, offset)
  return { line, text: windowText(view, line - 1, count), similarity: 1, reason }
}

function windowText(view: TextView, start: number, count: number): string {
  return view.lines.slice(start, start + Math.min(count, SHOWN.nearLines)).join('\n')
}

function mostSimilar(view: TextView, old: readonly string[], deadline: Deadline): Near | undefined {
  const trimmed = old.map(trimBlanks)
  const anchor = trimmed.reduce((best, line, i) => (line.length > (trimmed[best]?.length ?? 0) ? i : best), 0)
  if ((trimmed[anchor] ?? '') === '') return undefined
  const scorers = trimmed.map(line => lazily(() => diceWith(line)))
  const starts = new Set(likeliestLines(view.lines, trimmed[anchor] ?? '', deadline).map(line => line - anchor))
  let best = { start: 0, similarity: -1 }
  for (const start of [...starts].sort((a, b) => a - b)) {
    deadline.check()
    let sum = 0
    for (const [i, scorer] of scorers.entries()) {
      const line = view.lines[start + i]
      if (line !== undefined) sum += scorer()(trimBlanks(line))
    }
    const similarity = sum / scorers.length
    if (similarity > best.similarity) best = { start, similarity }
  }
  if (best.similarity < LEAST_SIMILARITY) return undefined
  const window = view.lines.slice(Math.max(0, best.start), best.start + old.length)
  return {
    line: Math.max(0, best.start) + 1,
    text: window.slice(0, SHOWN.nearLines).join('\n'),
    similarity: best.similarity,
    reason: reasonFor(old, window),
  }
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** The lines most similar to one, the best first and the earliest of equals first. */
function likeliestLines(lines: readonly string[], wanted: string, deadline: Deadline): number[] {
  const similarityOf = diceWith(wanted)
  const best: { line: number; similarity: number }[] = []
  for (let i = 0; i < lines.length; i++) {
    if ((i & 0xfff) === 0) deadline.check()
    const line = trimBlanks(lines[i] ?? '')
    const worst = best.length < CANDIDATES ? -1 : (best[CANDIDATES - 1]?.similarity ?? -1)
    if (mostDice(wanted.length, line.length) <= worst) continue
    const similarity = similarityOf(line)
    if (similarity <= worst) continue
    let position = best.length
    while (position > 0 && (best[position - 1]?.similarity ?? 0) < similarity) position--
    best.splice(position, 0, { line: i, similarity })
    if (best.length > CANDIDATES) best.pop()
  }
  return best.map(({ line }) => line)
}

const REASONS: readonly { reason: NearReason; form: (text: string) => string }[] = [
  { reason: 'whitespace', form: withoutBlanks },
  { reason: 'unicode', form: plain },
  { reason: 'case', form: text => plain(text).toLowerCase() },
]

function reasonFor(old: readonly string[], window: readonly string[]): NearReason {
  const same = REASONS.find(({ form }) => form(old.join('\n')) === form(window.join('\n')))
  return same?.reason ?? 'content'
}

function withoutBlanks(text: string): string {
  return text.replace(/[ \t]+/g, '')
}

function plain(text: string): string {
  return withoutBlanks(folded(text).normalize('NFKC'))
}
