import { forwardSearch } from '../../text/forward-search.ts'
import { only, without } from './blank.ts'
import type { Source } from './source.ts'

/** Code of a production file that is compiled for tests only; what stands there counts as test. */
const INSIDE: Partial<Record<Source['language'], RegExp>> = {
  rust: /#\[cfg\(test\)\]|#\[(?:\w+::)*test\b[^\]\n]{0,200}\]/g,
  javascript: /\bif\s*\(\s*import\.meta\.vitest\s*\)/g,
  typescript: /\bif\s*\(\s*import\.meta\.vitest\s*\)/g,
}

interface Part {
  start: number
  end: number
}

const known = new WeakMap<Source, { tests: string; production: string }>()

/** The blanked code of a production file in two layers of the same length: its tests, and the rest. */
export function splitTests(source: Source): { tests: string; production: string } {
  const found = known.get(source)
  if (found) return found
  const parts = testParts(source)
  const layers = { tests: only(source.code, parts), production: without(source.code, parts) }
  known.set(source, layers)
  return layers
}

export function testParts(source: Source): Part[] {
  const form = INSIDE[source.language]
  const parts: Part[] = []
  const nextOpen = forwardSearch(from => source.code.indexOf('{', from))
  const nextStop = forwardSearch(from => source.code.indexOf(';', from))
  for (const match of form ? source.code.matchAll(form) : []) {
    if (match.index < (parts.at(-1)?.end ?? 0)) continue
    const open = nextOpen(match.index)
    const stop = nextStop(match.index)
    const close = open < 0 || (stop >= 0 && stop < open) ? stop : (source.brackets.partner[open] ?? -1)
    if (close >= 0) parts.push({ start: match.index, end: close + 1 })
  }
  return parts
}
