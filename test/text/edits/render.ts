/** A small differ and a printer for every format, so that edits with a known result can be made at random. */

export interface DiffLine {
  kind: ' ' | '-' | '+'
  text: string
}

/** Longest common subsequence of lines, by the table. */
export function diffLines(old: readonly string[], fresh: readonly string[]): DiffLine[] {
  const lengths = Array.from({ length: old.length + 1 }, () => Array.from({ length: fresh.length + 1 }, () => 0))
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = fresh.length - 1; j >= 0; j--)
      lengths[i]![j] = old[i] === fresh[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!)
  const lines: DiffLine[] = []
  let i = 0
  let j = 0
  while (i < old.length || j < fresh.length) {
    if (i < old.length && j < fresh.length && old[i] === fresh[j]) {
      lines.push({ kind: ' ', text: old[i]! })
      i++
      j++
    } else if (j >= fresh.length || (i < old.length && lengths[i + 1]![j]! >= lengths[i]![j + 1]!))
      lines.push({ kind: '-', text: old[i++]! })
    else lines.push({ kind: '+', text: fresh[j++]! })
  }
  return lines
}

export interface Hunk {
  lines: DiffLine[]
  /** Numbers from 1 of its first line in the old and the new file. */
  old: number
  fresh: number
}

/** Changes with some lines around them, apart from each other. */
export function hunksOf(diff: readonly DiffLine[], context: number): Hunk[] {
  const near = diff.map((_, i) => diff.slice(Math.max(0, i - context), i + context + 1).some(({ kind }) => kind !== ' '))
  const hunks: Hunk[] = []
  let old = 1
  let fresh = 1
  for (const [i, line] of diff.entries()) {
    if (near[i]) {
      if (i === 0 || !near[i - 1]) hunks.push({ lines: [], old, fresh })
      hunks.at(-1)!.lines.push(line)
    }
    if (line.kind !== '+') old++
    if (line.kind !== '-') fresh++
  }
  return hunks
}

export function oldOf({ lines }: Hunk): string[] {
  return lines.filter(({ kind }) => kind !== '+').map(({ text }) => text)
}

function freshOf({ lines }: Hunk): string[] {
  return lines.filter(({ kind }) => kind !== '-').map(({ text }) => text)
}

const ended = (lines: readonly string[]): string => lines.map(line => `${line}\n`).join('')

export function asBlocks(hunks: readonly Hunk[]): string {
  return hunks.map(hunk => `<<<<<<<<< SEARCH\n${ended(oldOf(hunk))}=========\n${ended(freshOf(hunk))}>>>>>>>>> REPLACE\n`).join('')
}

export function asDiff(hunks: readonly Hunk[], numbers: boolean): string {
  const header = (hunk: Hunk): string =>
    numbers ? `@@ -${hunk.old},${oldOf(hunk).length} +${hunk.fresh},${freshOf(hunk).length} @@` : '@@'
  return `--- a/file\n+++ b/file\n${hunks.map(hunk => `${header(hunk)}\n${ended(hunk.lines.map(({ kind, text }) => kind + text))}`).join('')}`
}

export function asPatch(hunks: readonly Hunk[]): string {
  const body = hunks.map(({ lines }) => `@@\n${ended(lines.map(({ kind, text }) => kind + text))}`).join('')
  return `*** Begin Patch\n*** Update File: file\n${body}*** End Patch\n`
}

export interface TextPair {
  search: string
  replace: string
}

/** The smallest replaced text, made longer until there is something to look for; none that parts a character. */
export function pairOf(old: string, fresh: string): TextPair | undefined {
  let start = 0
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start++
  let tail = 0
  while (tail < old.length - start && tail < fresh.length - start && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail++
  if (start > 0) start--
  if (tail > 0) tail--
  const search = old.slice(start, old.length - tail)
  return search === '' || !search.isWellFormed() ? undefined : { search, replace: fresh.slice(start, fresh.length - tail) }
}

export const asObject = ({ search, replace }: TextPair): string => JSON.stringify({ search, replace })

export const asElements = ({ search, replace }: TextPair): string =>
  `<old_text>\n${search}\n</old_text>\n<new_text>\n${replace}\n</new_text>`

export const asAttributes = ({ search, replace }: TextPair): string =>
  `<set search="${search.replaceAll('"', '&quot;')}" replace="${replace.replaceAll('"', '&quot;')}"/>`

export const asSed = ({ search, replace }: TextPair): string =>
  `s/${search.replaceAll('/', '\\/')}/${replace.replaceAll('\\', '\\\\').replaceAll('/', '\\/').replaceAll('\n', '\\n')}/`

export const asReplacement = (lines: readonly string[]): string => `=========\n${ended(lines)}>>>>>>>>> REPLACE\n`
