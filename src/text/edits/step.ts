import { type Change, changed, contentOf, type Document } from './document.ts'
import type { Search } from './levels.ts'
import type { Deadline } from './limits.ts'
import { countBreaks, lineNumberAt, linesOf } from './lines.ts'
import type { AppliedEdit, Match } from './types.ts'

/** Where the edits of a call stand. */
export interface Position {
  /** null: there is no such file. */
  document: Document | null
  /** The end of the last hunk's result. */
  after: number
  /** Edits so far: where each began, and the lines it added net. */
  moves: readonly { line: number; net: number }[]
}

export interface StepContext {
  deadline: Deadline
  /** Looks for the nearest text when nothing is found; costly, and only the first failure shows it. */
  explain: boolean
}

export interface StepResult {
  document: Document
  applied: Omit<AppliedEdit, 'index'>
  after: number
  moves: { line: number; net: number }[]
  warning?: { code: string; message: string }
}

export interface SearchBase extends Pick<Search, 'carried' | 'deadline'> {
  from: number
}

export function searchBase(at: Position, { deadline }: StepContext): SearchBase {
  return { from: 0, carried: line => carried(line, at.moves), deadline }
}

/** A line number of the original, as the edits so far have moved it. */
export function carried(line: number, moves: Position['moves']): number {
  return moves.reduce((moved, { line: from, net }) => (from < moved ? moved + net : moved), line)
}

/** Places inside the text; the first one is reported, and each may move later lines. */
export function changedResult(document: Document, changes: readonly Change[], match: Match): StepResult {
  const [first] = changes
  const lengths = changes.map(({ start, end, text }) => ({ old: countBreaks(document.text, start, end), fresh: countBreaks(text) }))
  const moves: StepResult['moves'] = []
  const line = lineNumberAt(document.text, first?.start ?? 0)
  if (lengths.some(({ old, fresh }) => old !== fresh)) {
    let at = line
    let from = first?.start ?? 0
    for (const [i, { start }] of changes.entries()) {
      at += countBreaks(document.text, from, start)
      from = start
      const { old = 0, fresh = 0 } = lengths[i] ?? {}
      moves.push({ line: at, net: fresh - old })
      at += fresh - old
    }
  }
  const old_lines = linesOf(document.text.slice(first?.start, first?.end)).length
  const new_lines = linesOf(first?.text ?? '').length
  return { document: changed(document, changes), applied: { match, line, old_lines, new_lines, count: changes.length }, after: 0, moves }
}

export function wholeResult(before: Document | null, after: Document): StepResult {
  const same = before !== null && contentOf(before) === contentOf(after)
  return {
    document: after,
    applied: {
      match: 'none',
      line: 1,
      old_lines: linesOf(before?.text ?? '').length,
      new_lines: linesOf(after.text).length,
      count: same ? 0 : 1,
    },
    after: after.text.length,
    moves: [],
  }
}

export function toleranceWarning(level: Match): { warning?: { code: string; message: string } } {
  if (level === 'exact') return {}
  return { warning: { code: level, message: `The old text was found only at the level "${level}"; the file writes it differently.` } }
}
