import { compilePathPattern, type PathPattern } from '../../policy/patterns/path-pattern.ts'

export type PathTest = (path: string) => boolean

interface MatchOptions {
  fold?: (text: string) => string
  nameAnywhere?: boolean
}

/** Whether a path matches one of the patterns. A path is also matched by itself, whatever its characters would mean in a pattern;
 *  a pattern that cannot be compiled matches nothing else. */
export function matchesAny(patterns: readonly string[], options: MatchOptions = {}): PathTest {
  const literal = new Set(patterns)
  const compiled = patterns.flatMap(text => compile(text, options))
  return path => literal.has(path) || compiled.some(pattern => pattern.matches(path))
}

function compile(text: string, options: MatchOptions): PathPattern[] {
  try {
    return [compilePathPattern(text, options)]
  } catch {
    // Patterns are refused where they are written down; here nothing may follow from a wrong one.
    return []
  }
}
