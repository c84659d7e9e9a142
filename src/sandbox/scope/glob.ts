import { expandBraces } from '../../policy/patterns/braces.ts'
import { compilePathPattern, partsOf } from '../../policy/patterns/path-pattern.ts'

// What a sandbox opens must be what policy owns, so that both read patterns by the same matcher.

export interface Glob {
  /** The folder that holds everything it can match, as far as it is written out. */
  literalFolder: string
  matches(path: string): boolean
  /** Whether something below this folder can match. */
  canMatchBelow(folder: string): boolean
  /** Whether everything below this folder matches. */
  coversAllBelow(folder: string): boolean
}

/** A pattern with alternatives is several globs; one that cannot be meant is none. */
export function parseGlobs(patterns: readonly string[]): Glob[] {
  return patterns.flatMap(pattern => {
    try {
      return expandBraces(pattern.endsWith('/') ? `${pattern}**` : pattern).map(toGlob)
    } catch {
      return []
    }
  })
}

export function matchesAny(globs: readonly Glob[], path: string): boolean {
  return globs.some(glob => glob.matches(path))
}

function toGlob(text: string): Glob {
  const pattern = compilePathPattern(text)
  const folders = partsOf(text).slice(0, -1)
  const open = folders.findIndex(part => /[*?[]/.test(part))
  return {
    literalFolder: (open < 0 ? folders : folders.slice(0, open)).join('/'),
    matches: path => pattern.matches(path),
    canMatchBelow: folder => pattern.mayMatchBelow(folder),
    coversAllBelow: folder => pattern.coversBelow(folder),
  }
}
