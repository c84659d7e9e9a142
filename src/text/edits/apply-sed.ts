import { withinTime } from '../patterns/bounded.ts'
import { checkResult } from './bounds.ts'
import { type Deadline, outOfTime } from './deadline.ts'
import type { Change } from './document.ts'
import { ambiguous, missing, notOne } from './failures.ts'
import type { Search } from './levels.ts'
import { LIMITS, SHOWN } from './limits.ts'
import { separateOccurrences } from './occurrences.ts'
import type { SedStep } from './parsed.ts'
import { malformed, quoted, Refusal, refuse } from './refusal.ts'
import { changedResult, type Position, type StepContext, type StepResult } from './step.ts'
import { partsPair } from './surrogates.ts'
import { TextView } from './text-view.ts'

/** Carries out one command. */
export function applySed(step: SedStep, { document }: Position, { deadline, explain }: StepContext): StepResult {
  if (step.search === '') refuse('empty_search', 'The command has nothing to search for.')
  if (!document) missing(step.search)
  const { match, places } = substitutions(document.text, step, deadline)
  const [first] = places
  if (!first) {
    const view = new TextView(document.text)
    const search: Search = { from: 0, text: step.search, lines: undefined, atEnd: false, carried: line => line, deadline }
    notOne({ kind: 'none' }, view, { search, replacement: literalReplacement(step), hint: '', context: { deadline, explain } })
  }
  const isSame = ({ start, end, text }: Change): boolean => text.length === end - start && document.text.startsWith(text, start)
  if (places.every(isSame)) replacedByItself(step)
  if (step.flags.includes('g')) return changedResult(document, places, match, deadline)
  const lineEnd = document.text.indexOf('\n', first.start)
  if (lineEnd >= 0 && places.some(({ start }) => start > lineEnd))
    ambiguous(document.text, {
      wanted: step.search,
      count: places.length,
      offsets: places.slice(0, SHOWN.places).map(({ start }) => start),
      hint: 'a longer search; to mean every place, add the flag g',
    })
  if (isSame(first)) replacedByItself(step)
  return changedResult(document, [first], match, deadline)
}

function replacedByItself({ search }: SedStep): never {
  refuse('no_change', `${quoted(search)} would be replaced by itself. Leave this edit out, or write the new text.`)
}

interface Substitution {
  match: 'exact' | 'regex'
  /** Non-overlapping, from the left. */
  places: Change[]
}

/** All places that a command means, as a literal text if it occurs as such, else as a regular expression. */
function substitutions(text: string, step: SedStep, deadline: Deadline): Substitution {
  const ignoresCase = /i/i.test(step.flags)
  const literal = literalPlaces(text, step.search, ignoresCase, deadline)
  if (literal.length > 0) {
    const replacement = literalReplacement(step)
    return { match: 'exact', places: literal.map(start => ({ start, end: start + step.search.length, text: replacement })) }
  }
  return { match: 'regex', places: expressionPlaces(text, step, deadline) }
}

function literalPlaces(text: string, search: string, ignoresCase: boolean, deadline: Deadline): number[] {
  return ignoresCase ? separateOccurrences(lowerCase(text), lowerCase(search), deadline) : separateOccurrences(text, search, deadline)
}

/** Unit for unit: U+0130 is the one character whose lower case is longer than itself. */
function lowerCase(text: string): string {
  return text.replaceAll('\u0130', 'i').toLowerCase()
}

function expressionPlaces(text: string, step: SedStep, deadline: Deadline): Change[] {
  const pieces = replacementPieces(step)
  const flags = `gm${/i/i.test(step.flags) ? 'i' : ''}${step.flags.includes('s') ? 's' : ''}${step.flags.includes('u') ? 'u' : ''}`
  const places: Change[] = []
  let units = 0
  const found = withinTime(Math.min(LIMITS.expressionMs, deadline.left()), () => {
    for (const match of matchesOf(text, step, flags)) {
      if (match[0] === '') malformed(`The expression ${quoted(step.search)} matches an empty text. Make it match something.`, step.line)
      checkWhole(text, match, step)
      const fresh = filled(pieces, match, step)
      units += fresh.length
      checkResult(units)
      places.push({ start: match.index, end: match.index + match[0].length, text: fresh })
    }
  })
  if (found.kind === 'late') outOfTime(`The expression ${quoted(step.search)} did not end within ${LIMITS.expressionMs} ms.`)
  return places
}

/** Without the flag u the engine sees units. Neither the match nor a group that is used may be half a character. */
function checkWhole(text: string, match: RegExpExecArray, { search, line }: SedStep): void {
  const parts = partsPair(text, match.index) || partsPair(text, match.index + match[0].length)
  if (parts || (match[0].isWellFormed() && match.some(group => !(group ?? '').isWellFormed())))
    malformed(`The expression ${quoted(search)} matches half of a character beyond U+FFFF; add the flag u.`, line)
}

/** One after the other. The engine refuses some expressions only when they run. */
function* matchesOf(text: string, { search, line }: SedStep, flags: string): Generator<RegExpExecArray> {
  try {
    yield* text.matchAll(new RegExp(search, flags))
  } catch (thrown) {
    if (thrown instanceof Refusal) throw thrown
    malformed(`${quoted(search)} does not occur as a text and is no regular expression: ${reason(thrown)}.`, line)
  }
}

function reason(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message.replace(/^Invalid regular expression: /, '') : String(thrown)
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', '\\': '\\' }

/** What stands in the text where the search is taken literally. */
export function literalReplacement({ replacement, delimiter }: SedStep): string {
  return replacement.replace(/\\(.)/gs, (whole, unit: string) => (unit === delimiter ? unit : (ESCAPES[unit] ?? whole)))
}

type Piece = string | { group: number }

function replacementPieces({ replacement, delimiter, line }: SedStep): Piece[] {
  const pieces: Piece[] = []
  for (const [whole, escaped] of replacement.matchAll(/\\(.)|\$[&\d]|&|[^\\$&]+|[\\$]/gs)) {
    if (escaped === undefined) {
      if (/^(?:\$[&\d]|&)$/.test(whole))
        malformed(
          `${whole} is not a group here. Write \\0 for the whole match, \\1 to \\9 for a group, \\& and \\$ for the characters.`,
          line,
        )
      pieces.push(whole)
    } else if (/\d/.test(escaped)) pieces.push({ group: Number(escaped) })
    else pieces.push(escaped === delimiter || escaped === '&' || escaped === '$' ? escaped : (ESCAPES[escaped] ?? whole))
  }
  return pieces
}

function filled(pieces: readonly Piece[], match: RegExpExecArray, { search, line }: SedStep): string {
  const parts = pieces.map(piece => {
    if (typeof piece === 'string') return piece
    if (piece.group >= match.length) malformed(`The expression ${quoted(search)} has no group ${piece.group}.`, line)
    return match[piece.group] ?? ''
  })
  checkResult(parts.reduce((units, { length }) => units + length, 0))
  return parts.join('')
}
