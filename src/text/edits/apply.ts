import { FINAL_CODES, tryFile } from './apply-file.ts'
import { textStep } from './attributes.ts'
import { checkBytes, checkEdits } from './bounds.ts'
import { callDeadline, type Deadline } from './deadline.ts'
import { type Detected, readEdit } from './detect.ts'
import { LIMITS } from './limits.ts'
import { foldLineBreaks } from './lines.ts'
import type { FileEdit } from './parsed.ts'
import { checkInside, withoutDot } from './patch-path.ts'
import { malformed, outcomeOf, refuse, refuseIfFailed } from './refusal.ts'
import type { Action, AppliedEdit, EditError, EditInput, EditOutput, Outcome, Pair, Warning } from './types.ts'

/** The new content of a file after what a model wrote about it, or why not. Never throws for any texts. */
export function applyEdit(input: EditInput, deadline: Deadline = callDeadline()): Outcome<EditOutput> {
  return outcomeOf(() => {
    checkOriginal(input.original)
    const read = readChecked(input, deadline)
    const path = input.path === undefined ? undefined : withoutDot(input.path)
    checkPaths(read, path)
    return applyAll(input.original, read, { path, deadline })
  })
}

export function checkOriginal(original: string | null, what = 'The file'): void {
  if (original === null) return
  checkBytes(what, original, LIMITS.originalBytes)
  if (original.includes('\0')) refuse('binary', `${what} holds the character U+0000, so it is no text and cannot be edited as one.`)
}

/** Reads the edit in its format, within the bounds. */
export function readChecked({ edit, path, format, original }: EditInput, deadline: Deadline): Detected {
  const texts = typeof edit === 'string' ? [edit] : [edit].flat().flatMap(({ search, replace }) => [search, replace])
  checkBytes('The edit', texts.length === 1 ? (texts[0] ?? '') : texts.join(''), LIMITS.editBytes)
  if (texts.some(text => text.includes('\0'))) refuse('binary', 'The edit holds the character U+0000. Only text can be written.')
  const read = typeof edit === 'string' ? readEdit(edit, { format, path, original }, deadline) : readPairs([edit].flat(), format)
  checkEdits(read.files)
  return read
}

function readPairs(pairs: readonly Pair[], format: EditInput['format']): Detected {
  if (format !== undefined && format !== 'attributes')
    malformed(`An object with search and replace has the format "attributes"; as "${format}" the edit must be a text.`)
  if (pairs.length === 0) malformed('The list of edits is empty.')
  const steps = pairs.map(({ search, replace, all }) =>
    textStep({ search: foldLineBreaks(search), replace: foldLineBreaks(replace), all }, 1),
  )
  return { format: 'attributes', path: undefined, files: [{ path: undefined, intent: 'edit', steps, line: 1 }], warnings: [] }
}

/** One call edits one file, and it is the one that the edit names. */
function checkPaths(read: Detected, path: string | undefined): void {
  const named = new Set(read.files.flatMap(file => file.path ?? []).concat(read.path ?? []))
  for (const name of [...named, ...read.files.flatMap(({ to }) => to ?? [])]) checkInside(name)
  const paths = [...named]
  if (chained(read.files) > 1)
    refuse('multi_file', `The edit is about ${paths.length} files (${paths.join(', ')}). Send one per call, or use edit.plan.`, { paths })
  const other = paths.find(name => name !== path)
  if (path !== undefined && other !== undefined)
    refuse('path_mismatch', `The edit names ${other}, but it was to change ${path}. Correct the path on one side.`, { paths: [other] })
}

/** How many files the sections are about; a renamed file stays the same one under its new name. */
function chained(files: readonly FileEdit[]): number {
  let count = 0
  let current: string | undefined
  for (const { path, to } of files) {
    if (path !== undefined && path !== current) {
      count++
      current = path
    }
    current = to ?? current
  }
  return count
}

interface FileOf {
  path: string | undefined
  deadline: Deadline
}

/** Applies every section to one file, each to the result of the one before. */
function applyAll(original: string | null, read: Detected, { path, deadline }: FileOf): EditOutput {
  let content = original
  const edits: AppliedEdit[] = []
  const warnings: Warning[] = [...read.warnings]
  const failures: EditError[] = []
  let firstEdit = 0
  for (const file of read.files) {
    const result = tryFile(content, file, { deadline, path: path ?? file.path ?? read.path, firstEdit })
    content = result.content
    edits.push(...result.edits)
    warnings.push(...result.warnings)
    failures.push(...result.failures)
    if (result.failures.some(({ code }) => FINAL_CODES.has(code))) break
    firstEdit += Math.max(1, file.steps.length)
  }
  refuseIfFailed(failures)
  const named = read.files.reduce<string | undefined>((known, file) => file.to ?? file.path ?? known, read.path)
  const renamed = read.files.some(({ to }) => to !== undefined)
  return {
    content,
    format: read.format,
    action: actionOf(original, content, renamed),
    ...(named !== undefined && { path: named }),
    changed: content !== original,
    edits,
    warnings,
  }
}

function actionOf(original: string | null, content: string | null, renamed: boolean): Action {
  if (content === null) return 'delete'
  if (renamed) return 'rename'
  return original === null ? 'create' : 'update'
}
