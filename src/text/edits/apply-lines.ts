import { checkSearch } from './bounds.ts'
import { changed, changedLines, type Document, openDocument } from './document.ts'
import { missing, notOne } from './failures.ts'
import type { Search } from './levels.ts'
import { SHOWN } from './limits.ts'
import { appendedLines, lineChanges, newLines, oldLines } from './line-edit.ts'
import { lineNumberAt, linesOf, trimBlanks } from './lines.ts'
import { type Choice, type Located, locate } from './locate.ts'
import type { LinesStep } from './parsed.ts'
import { quoted, refuse } from './refusal.ts'
import { carried, type Position, type SearchBase, type StepContext, type StepResult, searchBase, toleranceWarning } from './step.ts'
import { TextView } from './text-view.ts'

/** Replaces whole lines. */
export function applyLines(step: LinesStep, at: Position, context: StepContext): StepResult {
  const old = oldLines(step.ops)
  const fresh = newLines(step.ops)
  checkSearch(old)
  const { document } = at
  if (old.length > 0 && step.finalBreak === undefined && old.length === fresh.length && old.every((line, i) => line === fresh[i]))
    refuse('no_change', `Old and new text are equal: ${quoted(old[0] ?? '')}. Leave this edit out, or write the new text.`)
  if (old.length === 0) return insertLines(step, fresh, at)
  if (!document) missing(old[0] ?? '')
  const view = new TextView(document.text)
  const base = searchBase(at, context)
  const from = anchorEnd(view, step, { ...base, from: step.inOrder ? at.after : 0 }, context)
  const search: Search = { ...base, from, text: undefined, lines: { ops: step.ops, old }, atEnd: step.atEnd }
  const choice: Choice =
    step.anchors.length > 0
      ? { kind: 'first' }
      : step.hint === undefined
        ? { kind: 'only' }
        : { kind: 'line', line: carried(step.hint, at.moves) }
  const found = locate(view, search, choice)
  if (found.kind !== 'one') notOne(found, view, { search, replacement: fresh.join('\n'), hint: 'more surrounding lines', context })
  const { changes, end } = lineChanges(document, found.place.ops, found.place.offset)
  const edited = changedLines(document, changes)
  const after = end + edited.text.length - document.text.length
  const settled = after >= edited.text.length ? withFinalBreak(edited, step.finalBreak) : edited
  const line = lineNumberAt(document.text, found.place.offset)
  return {
    document: settled,
    applied: { match: found.level, line, old_lines: old.length, new_lines: fresh.length, count: 1 },
    after: Math.min(after, settled.text.length),
    moves: [{ line, net: fresh.length - old.length }],
    ...toleranceWarning(found.level),
  }
}

/** Lines without a place of their own create the file, or go to its end where the format says so. */
function insertLines(step: LinesStep, fresh: readonly string[], { document }: Position): StepResult {
  const [anchor] = step.anchors
  if (!document && (step.appends || anchor !== undefined)) missing(anchor ?? fresh[0] ?? '')
  const text = document?.text ?? ''
  if (anchor !== undefined || (text !== '' && !step.appends))
    refuse(
      'empty_search',
      'The edit has no old lines, so its place is not known. Give the lines to replace, or lines next to the new ones.',
    )
  const base = document ?? openDocument('')
  const edited = withFinalBreak(changedLines(base, [appendedLines(base, fresh)]), step.finalBreak)
  const line = linesOf(text).length + 1
  return {
    document: edited,
    applied: { match: 'none', line, old_lines: 0, new_lines: fresh.length, count: 1 },
    after: edited.text.length,
    moves: [],
  }
}

function withFinalBreak(document: Document, change: LinesStep['finalBreak']): Document {
  const { text, open } = document
  const end = text.length
  if (change === 'removed' && !open && text !== '') return { ...changed(document, [{ start: end - 1, end, text: '' }]), open: true }
  if (change === 'added' && open && text !== '') return { ...changed(document, [{ start: end, end, text: '\n' }]), open: false }
  return change === 'added' ? { ...document, open: false } : document
}

/** Where the search begins: after the lines that the step names above its place. */
function anchorEnd(view: TextView, step: LinesStep, base: SearchBase, context: StepContext): number {
  if (step.anchors.length === 0) return base.from
  let line = view.lineFrom(base.from)
  for (const [i, anchor] of step.anchors.entries()) {
    const places: number[] = []
    for (let n = line; n < view.lines.length; n++) if (trimBlanks(view.lines[n] ?? '') === anchor) places.push(n)
    const [first] = places
    if (first === undefined || (i === 0 && places.length > 1)) {
      const search = { ...base, text: undefined, lines: { ops: [], old: [anchor] }, atEnd: false }
      const found: Located =
        first === undefined
          ? { kind: 'none' }
          : {
              kind: 'many',
              level: 'exact',
              count: places.length,
              places: places.slice(0, SHOWN.places).map(n => ({ offset: view.startOf(n), ops: [] })),
            }
      notOne(found, view, { search, replacement: '', hint: 'a longer or another line after @@', context })
    }
    line = first + 1
  }
  return view.startOf(line)
}
