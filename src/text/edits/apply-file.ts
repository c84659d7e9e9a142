import { applyStep } from './apply-step.ts'
import type { Deadline } from './deadline.ts'
import { contentOf, type Document, openDocument } from './document.ts'
import { editInPlace } from './edit-in-place.ts'
import { checkNotElided } from './elided.ts'
import { linesOf, trimEndBlanks } from './lines.ts'
import type { FileEdit, Step } from './parsed.ts'
import { outcomeOf, Refusal, refuse } from './refusal.ts'
import type { Position, StepResult } from './step.ts'
import type { AppliedEdit, EditError, ErrorCode, Warning } from './types.ts'

export interface FileContext {
  deadline: Deadline
  /** The file's path, where one is known. */
  path: string | undefined
  /** Index of the first edit. */
  firstEdit: number
}

export interface FileResult {
  content: string | null
  edits: AppliedEdit[]
  warnings: Warning[]
  /** Edits that were left out. With any of them the rest only serves to try the edits behind. */
  failures: EditError[]
}

/** Carries out what a text says about one file. */
function applyFile(original: string | null, file: FileEdit, context: FileContext): FileResult {
  const quick = original === null || file.intent !== 'edit' ? undefined : editInPlace(original, file.steps, context)
  if (quick) return { ...quick, warnings: [], failures: [] }
  const document = original === null ? null : openDocument(original)
  if (document === null && (file.intent === 'delete' || file.to !== undefined))
    refuse(
      'missing_file',
      `There is no file ${file.path ?? context.path ?? ''} to ${file.intent === 'delete' ? 'delete' : 'rename'}.`,
      pathsOf(file.path),
    )
  if (file.intent === 'delete') return deletion(document?.text ?? '', file, context.firstEdit)
  if (file.intent === 'create' && document !== null && document.text !== '')
    refuse(
      'exists',
      `${file.path ?? 'The file'} exists already, and the diff is one of a new file. Send a diff against its content.`,
      pathsOf(file.path),
    )
  const { document: edited, ...result } = applySteps(document, file.steps, context)
  const warnings = [...result.warnings]
  if (file.intent === 'add' && document !== null)
    warnings.push({ code: 'overwrote', message: `${file.path ?? 'The file'} existed and its content was replaced.` })
  return { ...result, content: edited === null || edited === document ? original : contentOf(edited), warnings }
}

/** The same where edits of other sections follow: a refusal of the whole section is a failure among others. */
export function tryFile(original: string | null, file: FileEdit, context: FileContext): FileResult {
  const outcome = outcomeOf(() => applyFile(original, file, context))
  if (outcome.kind === 'ok') return outcome.value
  return { content: original, edits: [], warnings: [], failures: [{ edit: context.firstEdit, ...outcome.error }] }
}

function pathsOf(path: string | undefined): { paths?: string[] } {
  return path === undefined ? {} : { paths: [path] }
}

/** Errors that no other edit of the same file can follow. */
export const FINAL_CODES: ReadonlySet<ErrorCode> = new Set(['timeout', 'missing_file', 'too_large'])

interface StepsResult extends Omit<FileResult, 'content'> {
  document: Document | null
}

function applySteps(document: Document | null, steps: readonly Step[], { deadline, path, firstEdit }: FileContext): StepsResult {
  const original = document?.text ?? ''
  const edits: AppliedEdit[] = []
  const warnings: Warning[] = []
  const failures: EditError[] = []
  let at: Position = { document, after: 0, moves: [] }
  for (const [i, step] of steps.entries()) {
    deadline.check()
    const edit = firstEdit + i
    try {
      checkNotElided(step, { path, original })
      const result: StepResult = applyStep(step, at, { deadline, explain: failures.length === 0 })
      at = { document: result.document, after: result.after, moves: [...at.moves, ...result.moves] }
      edits.push({ index: edit, ...result.applied })
      if (result.warning) warnings.push({ ...result.warning, edit })
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown
      failures.push({ line: step.line, ...thrown.error, edit })
      if (FINAL_CODES.has(thrown.error.code)) break
    }
  }
  return { document: at.document, edits, warnings, failures }
}

/** A deletion may show what it deletes; then that must be the whole file. */
function deletion(text: string, file: FileEdit, firstEdit: number): FileResult {
  const steps = file.steps.filter(step => step.kind === 'lines')
  const shown = steps.flatMap(({ ops }) => ops)
  const lines = linesOf(text)
  const same = (equal: (a: string, b: string) => boolean): boolean =>
    shown.length === lines.length && shown.every((op, i) => op.kind === 'drop' && equal(op.text, lines[i] ?? ''))
  const match =
    steps.length === 0
      ? 'none'
      : same((a, b) => a === b)
        ? 'exact'
        : same((a, b) => trimEndBlanks(a) === trimEndBlanks(b))
          ? 'trailing'
          : undefined
  if (match === undefined)
    refuse(
      'not_found',
      `The diff deletes ${file.path ?? 'the file'}, but its lines are not the whole file as it is now. Read the file again.`,
      {
        edit: firstEdit,
        line: file.line,
      },
    )
  const warnings =
    match === 'trailing'
      ? [{ code: match, message: 'The deleted lines differ from the file in blanks at their ends.', edit: firstEdit }]
      : []
  const edit = { index: firstEdit, match, line: 1, old_lines: lines.length, new_lines: 0, count: 1 } as const
  return { content: null, edits: [edit], warnings, failures: [] }
}
