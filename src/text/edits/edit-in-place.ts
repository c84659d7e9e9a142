// Exact edits of a file whose line breaks are all alike, made in the file's own form. Folding, joining and unfolding a whole file
// for one small edit takes several times as long as the edit. A search that stands in the file once decides about nothing but
// the lines around it, so only these are taken out, edited in the general way and put back. Whatever is not as simple as that is
// left to the general way.
import { applyStep } from './apply-step.ts'
import type { Deadline } from './deadline.ts'
import { contentOf, openDocument } from './document.ts'
import { checkNotElided } from './elided.ts'
import { oldLines } from './line-edit.ts'
import { countBreaks } from './lines.ts'
import type { Step } from './parsed.ts'
import { outcomeOf } from './refusal.ts'
import { hasHalfAtEdge } from './surrogates.ts'
import { TextParts } from './text-parts.ts'
import type { AppliedEdit } from './types.ts'

const BOM = '\uFEFF'
const RETURN = 0x0d

interface PlaceContext {
  deadline: Deadline
  /** The file's path, where one is known. */
  path: string | undefined
  /** Index of the first edit. */
  firstEdit: number
}

/** The file after exact edits; undefined where the general way has to say what becomes of it. */
export function editInPlace(
  original: string,
  steps: readonly Step[],
  context: PlaceContext,
): { content: string; edits: AppliedEdit[] } | undefined {
  const wanted = steps.map(oldText)
  // A `\r` of its own could be taken for a part of a line break, half a character for a whole one.
  if (wanted.some(old => old === '' || old.includes('\r') || hasHalfAtEdge(old))) return undefined
  const mark = original.startsWith(BOM) ? BOM : ''
  const body = original.slice(mark.length)
  const lineBreak = onlyBreak(body)
  if (lineBreak === undefined) return undefined
  const parts = new TextParts(body)
  const edits: AppliedEdit[] = []
  let after = 0
  for (const [i, step] of steps.entries()) {
    context.deadline.check()
    const needle = (wanted[i] ?? '').replaceAll('\n', lineBreak)
    const at = parts.onlyPlace(needle, step.kind === 'lines' && step.inOrder ? after : 0)
    const lines = at === undefined ? undefined : parts.linesAround(at, at + needle.length)
    const edited = lines && editLines(lines.text, step, context)
    if (!edited || (lineBreak === '\n' && edited.content.includes('\r\n'))) return undefined
    edits.push({ index: context.firstEdit + i, ...edited.applied, line: lines.line - 1 + edited.applied.line })
    parts.replace(lines, edited.content)
    after = lines.start + edited.after + (lineBreak.length - 1) * edited.breaksBefore
  }
  return { content: mark + parts.toString(), edits }
}

/** The line break that a text has everywhere. */
function onlyBreak(body: string): '\n' | '\r\n' | undefined {
  if (!body.includes('\r\n')) return body.includes('\n') ? '\n' : undefined
  for (let at = body.indexOf('\n'); at >= 0; at = body.indexOf('\n', at + 1)) if (body.charCodeAt(at - 1) !== RETURN) return undefined
  return '\r\n'
}

/** Empty where the step needs to see more than the place of its old text. */
function oldText(step: Step): string {
  if (step.kind === 'text') return step.all ? '' : step.search
  if (step.kind !== 'lines' || step.anchors.length > 0 || step.atEnd || step.finalBreak !== undefined) return ''
  return oldLines(step.ops).join('\n')
}

interface EditedLines {
  content: string
  applied: Omit<AppliedEdit, 'index'>
  /** Where the result of the edit ends, in the folded text, and the line breaks before that. */
  after: number
  breaksBefore: number
}

function editLines(lines: string, step: Step, { deadline, path }: PlaceContext): EditedLines | undefined {
  const outcome = outcomeOf(() => {
    checkNotElided(step, { path, original: '' })
    return applyStep(step, { document: openDocument(lines), after: 0, moves: [] }, { deadline, explain: false })
  })
  if (outcome.kind === 'refused' || outcome.value.applied.match !== 'exact') return undefined
  const { document, applied, after } = outcome.value
  return { content: contentOf(document), applied, after, breaksBefore: countBreaks(document.text, 0, after) }
}
