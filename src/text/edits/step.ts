import type { Deadline } from './deadline.ts'
import { type Change, changed, contentOf, type Document } from './document.ts'
import type { Search } from './levels.ts'
import { countBreaks, lineCounter, lineNumberAt, linesOf } from './lines.ts'
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
export function changedResult(document: Document, changes: readonly Change[], match: Match, deadline: Deadline): StepResult {
  const [first] = changes
  const { text } = document
  const moves: StepResult['moves'] = []
  const lineAt = lineCounter(text, 1)
  let moved = 0
  let last = { text: '', breaks: 0 }
  for (const [i, change] of changes.entries()) {
    if ((i & 0xfff) === 0) deadline.check()
    // Most often the new text is the same at all places.
    if (change.text !== last.text) last = { text: change.text, breaks: countBreaks(change.text) }
    const net = last.breaks - countBreaks(text, change.start, change.end)
    if (net === 0) continue
    moves.push({ line: lineAt(change.start) + moved, net })
    moved += net
  }
  const old_lines = linesOf(text.slice(first?.start, first?.end)).length
  const new_lines = linesOf(first?.text ?? '').length
  const line = lineNumberAt(text, first?.start ?? 0)
  const edited = changed(document, changes)
  deadline.check()
  return { document: edited, applied: { match, line, old_lines, new_lines, count: changes.length }, after: 0, moves }
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
