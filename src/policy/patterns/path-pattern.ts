import { expandBraces } from './braces.ts'
import { compileWildcard, type Wildcard } from './wildcard.ts'

/** A compiled pattern over paths relative to some folder, `/` between parts. Dot files are files like others. */
export interface PathPattern {
  text: string
  matches(path: string): boolean
  /** The same over parts that were split and folded before, for one path that many patterns look at. */
  matchesParts(parts: string[]): boolean
  /** Whether everything that can ever stand below the path matches too. */
  coversBelow(path: string): boolean
  /** Whether something that stands below the path could match. */
  mayMatchBelow(path: string): boolean
}

export class PatternRefused extends Error {}

interface CompileOptions {
  /** Applied to the pattern and to every path, where names are compared without their case or their disguises. */
  fold?: (text: string) => string
  /** A pattern without `/` matches the last part wherever it stands. */
  nameAnywhere?: boolean
}

const DEEP = '**'
type Part = Wildcard | typeof DEEP

/** Compiles one pattern. Throws `PatternRefused` on what can never be meant: absolute, `..`, `!`, or nothing at all. */
export function compilePathPattern(text: string, options: CompileOptions = {}): PathPattern {
  refuse(text)
  const fold = options.fold ?? (path => path)
  const anywhere = options.nameAnywhere === true && !text.includes('/')
  const spelled = `${anywhere ? '**/' : ''}${text.endsWith('/') ? `${text}**` : text}`
  const alternatives = expandBraces(spelled).map(alternative =>
    partsOf(alternative).map((part): Part => (part === DEEP ? DEEP : compileWildcard(fold(part), { classes: true }))),
  )
  const names = anywhere ? alternatives.map(alternative => alternative.at(-1)).filter(part => part !== DEEP && part !== undefined) : null
  const matchesParts = (parts: string[]): boolean => {
    const last = parts.at(-1)
    // A name that may stand anywhere is only compared with the last part.
    if (names) return last !== undefined && names.some(fits => fits(last))
    return alternatives.some(alternative => matchParts(alternative, parts))
  }
  return {
    text,
    matches: path => matchesParts(partsOf(path).map(fold)),
    matchesParts,
    // A name that no part of a pattern can spell stands for whatever may be there.
    coversBelow: path => {
      const below = [...partsOf(path).map(fold), '\u0000']
      return alternatives.some(alternative => alternative.at(-1) === DEEP && matchParts(alternative, below))
    },
    mayMatchBelow: path => {
      const parts = partsOf(path).map(fold)
      return alternatives.some(alternative => hasRestAfter(alternative, parts))
    },
  }
}

export function partsOf(path: string): string[] {
  return path.split('/').filter(part => part !== '' && part !== '.')
}

function refuse(text: string): void {
  if (text.trim() === '') throw new PatternRefused('an empty pattern matches nothing')
  if (text.startsWith('/') || /^[A-Za-z]:[\\/]/.test(text))
    throw new PatternRefused(`${text} is absolute; patterns are relative to the project`)
  if (text.startsWith('!')) throw new PatternRefused(`${text} starts with "!"; use "except"`)
  if (text.split('/').includes('..')) throw new PatternRefused(`${text} leaves the project by ".."`)
}

function matchParts(pattern: Part[], parts: string[]): boolean {
  let at = 0
  let element = 0
  let lastDeep = -1
  let resumeAt = 0
  while (at < parts.length) {
    const current = pattern[element]
    if (current === DEEP) {
      lastDeep = element++
      resumeAt = at
    } else if (current?.(parts[at] ?? '')) {
      element++
      at++
    } else if (lastDeep >= 0) {
      element = lastDeep + 1
      at = ++resumeAt
    } else return false
  }
  while (pattern[element] === DEEP) element++
  return element === pattern.length
}

// All places of the pattern that can be reached by walking the parts; anything left there can match further parts.
function hasRestAfter(pattern: Part[], parts: string[]): boolean {
  let places = closed(pattern, new Set([0]))
  for (const part of parts) {
    const next = new Set<number>()
    for (const place of places) {
      const element = pattern[place]
      if (element === DEEP) next.add(place)
      else if (element?.(part)) next.add(place + 1)
    }
    places = closed(pattern, next)
  }
  return [...places].some(place => place < pattern.length)
}

// A `**` may also stand for no part at all.
function closed(pattern: Part[], places: Set<number>): Set<number> {
  for (const place of places) if (pattern[place] === DEEP) places.add(place + 1)
  return places
}
