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
  if (LISTS_ALWAYS.has(segment.program)) return words.some(word => word.startsWith('-printf')) ? null : foldersOf(segment)
  if (segment.program === 'git' && words[0] === 'ls-files') return foldersOf(segment)
  if (segment.program === 'rg' && words.some(word => GREP_LISTS.test(word) || word === '--files')) return foldersOf(segment)
  if (segment.program === 'grep' && words.some(word => GREP_LISTS.test(word))) return foldersOf(segment)
  const readsOnlyInput = segment.paths.length === 0
  if (HANDS_ON.has(segment.program) && readsOnlyInput) return upstream
  const isPlainGrep = segment.program === 'grep' && words.every(word => !word.startsWith('-') || GREP_HANDS_ON.test(word))
  return isPlainGrep && readsOnlyInput ? upstream : null
}

function foldersOf({ paths, cwd }: Segment): PathUse[] {
  const named = paths.map(({ path }) => path)
  return (named.length > 0 ? named : (cwd ?? [])).map(path => ({ word: staticWord(path), access: 'list', recursive: true }))
}
