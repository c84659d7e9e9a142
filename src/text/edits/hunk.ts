import type { Op } from './line-edit.ts'

/** The lines of a hunk, the same in both patch formats. */
export interface HunkLines {
  ops: Op[]
  finalBreak?: 'added' | 'removed'
  /** The line after the hunk. */
  end: number
}

const KINDS: Readonly<Record<string, Op['kind']>> = { ' ': 'keep', '-': 'drop', '+': 'add' }

/** Reads lines as long as they belong to a hunk; `ends` knows the lines that look like it but start something else. */
export function readHunkLines(lines: readonly string[], start: number, ends: (line: number) => boolean): HunkLines {
  const ops: Op[] = []
  const unended = { add: false, drop: false, keep: false }
  let i = start
  let filled = 0
  let end = start
  for (; i < lines.length && !ends(i); i++) {
    const line = lines[i] ?? ''
    const last = ops.at(-1)
    if (line.startsWith('\\')) {
      if (last) unended[last.kind] = true
    } else {
      // Editors strip the lone blank of an empty context line.
      const kind = line === '' ? 'keep' : KINDS[line.charAt(0)]
      if (kind === undefined) break
      ops.push({ kind, text: line.slice(1) })
    }
    if (line === '') continue
    filled = ops.length
    end = i + 1
  }
  const kept = ops.slice(0, filled)
  const finalBreak = unended.keep || unended.add === unended.drop ? undefined : unended.add ? 'removed' : 'added'
  return { ops: kept, ...(finalBreak && { finalBreak }), end }
}

/** Past the empty lines between hunks. */
export function nextNotEmpty(lines: readonly string[], from: number): number {
  let i = from
  while (lines[i] === '') i++
  return i
}
