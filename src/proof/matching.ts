import { compilePathPattern } from '../policy/patterns/path-pattern.ts'

export type PathTest = (path: string) => boolean

/** Whether a path matches any of these patterns. One without `/` means a name, wherever it stands. */
export function matcher(patterns: readonly string[]): PathTest {
  const compiled = patterns.map(pattern => compilePathPattern(pattern, { nameAnywhere: true }))
  return path => compiled.some(pattern => pattern.matches(path))
}
