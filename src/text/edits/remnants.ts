import { opensPatch } from './apply-patch.ts'
import { closesFence, isCodeFence } from './edit-text.ts'
import { trimBlanks } from './lines.ts'
import { isBrokenOpener, isCloser, opensBlock } from './search-replace.ts'
import type { Format } from './types.ts'

/** Lines that hardly any content has, so that a text with one may be an edit that was cut off, indented or written wrongly. */
const SIGNS: readonly { format: Format; shows: (line: string) => boolean }[] = [
  { format: 'search_replace', shows: line => opensBlock(line) || isBrokenOpener(line) || isCloser(line) },
  { format: 'apply_patch', shows: line => opensPatch([line], 0) || line.startsWith('*** Update File: ') },
]

export interface Remnant {
  format: Format
  line: number
}

/** The first line that shows one of the formats; where fences hold examples, only outside of them. */
export function findRemnant(lines: readonly string[], formats: readonly Format[], fences: 'examples' | 'text'): Remnant | undefined {
  const signs = SIGNS.filter(({ format }) => formats.includes(format))
  let fence: string | undefined
  for (const [i, written] of lines.entries()) {
    if (fence !== undefined && closesFence(fence, written)) fence = undefined
    else if (fence === undefined && isCodeFence(written)) fence = written
    if (fence !== undefined && fences === 'examples') continue
    const line = trimBlanks(written)
    const sign = signs.find(({ shows }) => shows(line))
    if (sign) return { format: sign.format, line: i }
  }
  return undefined
}
