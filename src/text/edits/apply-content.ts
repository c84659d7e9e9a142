import { changed, type Document, openDocument } from './document.ts'
import type { ContentStep } from './parsed.ts'
import { malformed } from './refusal.ts'
import { type Position, type StepResult, wholeResult } from './step.ts'

/** Replaces everything. */
export function applyContent(step: ContentStep, { document }: Position): StepResult {
  if (step.as === 'lines') {
    if (step.content === '' && document && document.text !== '')
      malformed('There are no lines between the markers. To empty the file on purpose, pass format "whole".', step.line)
    const base = document ?? openDocument('')
    const { text } = base
    // The range takes the last line break with it, or adds one: every line of this format is ended.
    const ended = text === '' || text.endsWith('\n') ? base : changed(base, [{ start: text.length, end: text.length, text: '\n' }])
    return wholeResult(document, changed(ended, [{ start: 0, end: ended.text.length, text: step.content }]))
  }
  const fresh = openDocument(step.content)
  const bom = fresh.bom || (document?.bom ?? false)
  const keepsEnds = document?.ends.kind === 'alike' && document.ends.crlf && !step.content.includes('\r')
  const kept: Document = keepsEnds ? { ...fresh, bom, ends: document.ends } : { ...fresh, bom }
  const result = wholeResult(document, kept)
  if (!keepsEnds || !fresh.text.includes('\n')) return result
  return { ...result, warning: { code: 'eol_kept', message: 'The file has \\r\\n line ends; those of the new text were made the same.' } }
}
