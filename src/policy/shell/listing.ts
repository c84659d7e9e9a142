import { leavesOut } from './find.ts'
import type { PathUse } from './judgement.ts'
import type { Segment } from './reading.ts'
import { staticWord } from './word.ts'

const LISTS_ALWAYS = new Set(['find', 'fd', 'fdfind'])
/** Filters that hand on whole lines. */
const HANDS_ON = new Set(['head', 'tail', 'sort', 'uniq', 'shuf', 'tac'])
const GREP_LISTS = /^(?:-[a-zA-Z]*[lL]|--files-with-matches|--files-without-match)$/
const GREP_HANDS_ON = /^-[vEiFwxP]+$/

/** The folders below which every line lies that a command prints; null when its output is something else. */
export function listingOf(segment: Segment | undefined, upstream: readonly PathUse[] | null): readonly PathUse[] | null {
  if (segment === undefined || segment.class !== 'read-only' || segment.flags.includes('ambiguous')) return null
  const words = segment.argv.slice(1).map(word => word.text)
  if (LISTS_ALWAYS.has(segment.program)) {
    if (words.some(word => word.startsWith('-printf'))) return null
    return segment.program === 'find' && !leavesOut(segment.argv.slice(1)) ? foldersOf(segment) : foldersOf(segment, true)
  }
  if (segment.program === 'git' && words[0] === 'ls-files') return foldersOf(segment, true)
  if (segment.program === 'rg' && words.some(word => GREP_LISTS.test(word) || word === '--files')) return foldersOf(segment, true)
  if (segment.program === 'grep' && words.some(word => GREP_LISTS.test(word))) return foldersOf(segment, true)
  const readsOnlyInput = segment.paths.length === 0
  if (HANDS_ON.has(segment.program) && readsOnlyInput) return upstream
  const isPlainGrep = segment.program === 'grep' && words.every(word => !word.startsWith('-') || GREP_HANDS_ON.test(word))
  return isPlainGrep && readsOnlyInput ? upstream : null
}

function foldersOf({ paths, cwd }: Segment, partial = false): PathUse[] {
  const named = paths.map(({ path }) => path)
  const whole = (named.length > 0 ? named : (cwd ?? [])).map(
    (path): PathUse => ({ word: staticWord(path), access: 'list', recursive: true }),
  )
  return partial ? whole.map(use => ({ ...use, partial })) : whole
}
