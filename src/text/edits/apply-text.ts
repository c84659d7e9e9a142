import { checkSearch } from './bounds.ts'
import { type Change, changedLines, openDocument } from './document.ts'
import { missing, notOne } from './failures.ts'
import type { Search } from './levels.ts'
import { commonLines, lineChanges, newLines, replacing } from './line-edit.ts'
import { lineNumberAt, linesOf } from './lines.ts'
import { locate } from './locate.ts'
import { separateOccurrences } from './occurrences.ts'
import type { TextStep } from './parsed.ts'
import { quoted, refuse } from './refusal.ts'
import { changedResult, type Position, type StepContext, type StepResult, searchBase, toleranceWarning, wholeResult } from './step.ts'
import { TextView } from './text-view.ts'

/** Replaces text wherever it stands. */
export function applyText(step: TextStep, at: Position, context: StepContext): StepResult {
  const { search: wanted, replace } = step
  const { document } = at
  if (wanted === '') {
    if (document && document.text !== '') refuse('empty_search', 'The search is empty, and the file is not. Give the text to replace.')
    return wholeResult(document, { ...openDocument(replace), bom: document?.bom ?? replace.startsWith('\uFEFF') })
  }
  if (wanted === replace) refuse('no_change', `Old and new text are equal: ${quoted(wanted)}. Leave this edit out, or write the new text.`)
  if (!document) missing(wanted)
  const old = linesOf(wanted)
  checkSearch(old)
  const view = new TextView(document.text)
  const wholeLines = !step.all && (replace === '' || wanted.endsWith('\n') === replace.endsWith('\n'))
  const search: Search = {
    ...searchBase(at, context),
    text: wanted,
    lines: wholeLines ? { ops: replacing(old, linesOf(replace)), old } : undefined,
    atEnd: false,
  }
  const kept = wanted.endsWith('\n') === replace.endsWith('\n') ? commonLines(old, linesOf(replace)) : { leading: 0, trailing: 0 }
  const change = (start: number): Change => ({ start, end: start + wanted.length, text: replace, keptLines: kept })
  if (step.all) {
    const changes = separateOccurrences(document.text, wanted, context.deadline).map(change)
    if (changes.length === 0) notOne({ kind: 'none' }, view, { search, replacement: replace, hint: '', context })
    return changedResult(document, changes, 'exact', context.deadline)
  }
  const found = locate(view, search, { kind: 'only' })
  if (found.kind !== 'one')
    notOne(found, view, { search, replacement: replace, hint: 'more surrounding text; to mean every place, set all', context })
  if (found.level === 'exact') return changedResult(document, [change(found.place.offset)], 'exact', context.deadline)
  const { changes } = lineChanges(document, found.place.ops, found.place.offset)
  const line = lineNumberAt(document.text, found.place.offset)
  const fresh = newLines(found.place.ops).length
  return {
    document: changedLines(document, changes),
    applied: { match: found.level, line, old_lines: old.length, new_lines: fresh, count: 1 },
    after: 0,
    moves: [{ line, net: fresh - old.length }],
    ...toleranceWarning(found.level),
  }
}
