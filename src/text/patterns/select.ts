import { compilePattern, findPattern, type PatternOutcome } from './pattern.ts'

/** Something with a path and a body that patterns can choose. */
export interface Selectable {
  path: string
  body: string
}

export interface Selection {
  /** A path pattern; without one every path fits. */
  path?: string | undefined
  /** A text pattern that the body must hold. */
  body?: string | undefined
}

/** The entries that satisfy both patterns, in the order given. */
export function selectEntries<T extends Selectable>(entries: readonly T[], { path, body }: Selection): PatternOutcome<T[]> {
  const byPath = narrowed(entries, path, 'path')
  return byPath.kind === 'refused' ? byPath : narrowed(byPath.value, body, 'body')
}

function narrowed<T extends Selectable>(entries: readonly T[], pattern: string | undefined, part: 'path' | 'body'): PatternOutcome<T[]> {
  if (pattern === undefined) return { kind: 'ok', value: [...entries] }
  const compiled = compilePattern(pattern, { mode: part === 'path' ? 'path' : 'text' })
  if (compiled.kind === 'refused') return compiled
  const texts = entries.map(entry => entry[part])
  const found = findPattern(compiled.value, texts)
  return found.kind === 'refused' ? found : { kind: 'ok', value: entries.filter((_, i) => found.value[i]?.matched) }
}
