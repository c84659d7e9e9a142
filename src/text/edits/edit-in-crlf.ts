// A file whose line breaks are all `\r\n`, edited in its own form. Folding and unfolding a whole file for one small edit takes
// several times as long as the edit. A search that stands in the file once decides about nothing but the lines around it, so
// only these are folded, edited in the general way and put back. Whatever is not as simple as that is left to the general way.
import { applyStep } from './apply-step.ts'
import type { Deadline } from './deadline.ts'
import { contentOf, openDocument } from './document.ts'
import { checkNotElided } from './elided.ts'
import { oldLines } from './line-edit.ts'
import { countBreaks, nextLineStart } from './lines.ts'
import type { Step } from './parsed.ts'
import { outcomeOf } from './refusal.ts'
import type { AppliedEdit } from './types.ts'

const BOM = '\uFEFF'
const RETURN = 0x0d

interface CrlfContext {
  deadline: Deadline
  /** The file's path, where one is known. */
  path: string | undefined
  /** Index of the first edit. */
  firstEdit: number
}

/** The file after exact edits; undefined where the general way has to say what becomes of it. */
export function editInCrlf(
  original: string,
  steps: readonly Step[],
  context: CrlfContext,
): { content: string; edits: AppliedEdit[] } | undefined {
  const mark = original.startsWith(BOM) ? BOM : ''
  let body = original.slice(mark.length)
  if (!isCrlf(body)) return undefined
  const edits: AppliedEdit[] = []
  let after = 0
  for (const [i, step] of steps.entries()) {
    context.deadline.check()
    const place = onlyPlace(body, step, after)
    const edited = place && editLines(body.slice(...place), step, context)
    if (!edited) return undefined
    const line = edited.applied.line + countBreaks(body, 0, place[0])
    edits.push({ index: context.firstEdit + i, ...edited.applied, line })
    body = body.slice(0, place[0]) + edited.content + body.slice(place[1])
    after = place[0] + edited.after
  }
  return { content: mark + body, edits }
}

function isCrlf(body: string): boolean {
  let at = body.indexOf('\n')
  if (at < 0) return false
  for (; at >= 0; at = body.indexOf('\n', at + 1)) if (body.charCodeAt(at - 1) !== RETURN) return false
  return true
}

/** The lines around the one place where the old text of a step stands; their last has a break. */
function onlyPlace(body: string, step: Step, after: number): [number, number] | undefined {
  const old = oldText(step)
  // A `\r` of its own could be taken for a part of a line break.
  if (old === '' || old.includes('\r')) return undefined
  const needle = old.replaceAll('\n', '\r\n')
  const at = body.indexOf(needle, step.kind === 'lines' && step.inOrder ? after : 0)
  if (at < 0 || body.indexOf(needle, at + 1) >= 0) return undefined
  const end = nextLineStart(body, at + needle.length)
  if (!body.endsWith('\n', end)) return undefined
  return [at === 0 ? 0 : body.lastIndexOf('\n', at - 1) + 1, end]
}

/** Empty where the step needs to see more than the place of that text. */
function oldText(step: Step): string {
  if (step.kind === 'text') return step.all ? '' : step.search
  if (step.kind !== 'lines' || step.anchors.length > 0 || step.atEnd || step.finalBreak !== undefined) return ''
  return oldLines(step.ops).join('\n')
}

interface EditedLines {
  content: string
  applied: Omit<AppliedEdit, 'index'>
  /** Where the result of the edit ends. */
  after: number
}

function editLines(lines: string, step: Step, { deadline, path }: CrlfContext): EditedLines | undefined {
  const outcome = outcomeOf(() => {
    checkNotElided(step, { path, original: '' })
    return applyStep(step, { document: openDocument(lines), after: 0, moves: [] }, { deadline, explain: false })
  })
  if (outcome.kind === 'refused' || outcome.value.applied.match !== 'exact') return undefined
  const { document, applied, after } = outcome.value
  return { content: contentOf(document), applied, after: after + countBreaks(document.text, 0, after) }
}
