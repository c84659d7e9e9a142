import type { Source } from './source.ts'

const outlines = new WeakMap<Source, Int32Array>()

/** For each line the line above it that is indented less and holds it, else -1. For languages in which indentation tells. */
export function holdersOf(source: Source): Int32Array {
  const known = outlines.get(source)
  if (known) return known
  const holders = new Int32Array(source.lineCount).fill(-1)
  const open: { line: number; indent: number }[] = []
  for (let line = 0; line < source.lineCount; line++) {
    const indent = indentOf(source, line)
    if (indent >= 0) {
      while (open.length > 0 && (open.at(-1)?.indent ?? 0) >= indent) open.pop()
    }
    holders[line] = open.at(-1)?.line ?? -1
    if (indent >= 0) open.push({ line, indent })
  }
  outlines.set(source, holders)
  return holders
}

/** How far a line is indented; -1 where it holds no code. Tabs count as eight. */
export function indentOf(source: Source, line: number): number {
  const code = source.lineOf('code', line)
  const blanks = /^\s*/.exec(code)?.[0] ?? ''
  return blanks.length === code.length ? -1 : blanks.replaceAll('\t', '        ').length
}

/** The first line behind a block: the next that is indented no more than its head. */
export function blockEnd(source: Source, head: number): number {
  const indent = indentOf(source, head)
  // A head may take several lines; what stands inside its brackets does not end it.
  let from = head
  for (let guard = 0; guard < 50; guard++) {
    const start = source.lineStarts[from] ?? 0
    const code = source.lineOf('code', from)
    const open = Math.max(code.lastIndexOf('('), code.lastIndexOf('['), code.lastIndexOf('{'))
    const close = open < 0 ? -1 : (source.brackets.partner[start + open] ?? -1)
    const line = close < 0 ? from : source.lineAt(close)
    if (line <= from) break
    from = line
  }
  for (let line = from + 1; line < source.lineCount; line++) {
    const own = indentOf(source, line)
    if (own >= 0 && own <= indent) return line
  }
  return source.lineCount
}
