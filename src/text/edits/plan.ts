import { checkOriginal, readChecked } from './apply.ts'
import { type FileResult, tryFile } from './apply-file.ts'
import { filesOf } from './blocks.ts'
import { checkEdits } from './bounds.ts'
import { callDeadline, type Deadline } from './deadline.ts'
import { detect } from './detect.ts'
import { editText } from './edit-text.ts'
import type { FileEdit } from './parsed.ts'
import { checkInside, withoutDot } from './patch-path.ts'
import { outcomeOf, refuse, refuseIfFailed } from './refusal.ts'
import { replyText, scanReply } from './split.ts'
import type { Action, EditError, EditOutput, Format, Outcome, Warning } from './types.ts'
import { readFencedFiles } from './whole-reply.ts'

export interface PlanInput {
  edit: string
  format?: Format | undefined
  /** The files that the edit may need; null: there is no such file. */
  files: Readonly<Record<string, string | null>>
}

export interface PlannedChange extends EditOutput {
  path: string
  /** The old path of a rename. */
  from?: string
}

export interface PlanOutput {
  /** In the order of the text; each builds on those before it. */
  changes: PlannedChange[]
}

interface PlanReading {
  format: Format
  files: readonly FileEdit[]
  warnings: readonly Warning[]
}

/** What an edit of several files, or a whole reply, makes of them: all of it or nothing. Never throws for any texts. */
export function planEdits(input: PlanInput, deadline: Deadline = callDeadline()): Outcome<PlanOutput> {
  return outcomeOf(() => {
    const files = new Map(Object.entries(input.files).map(([path, content]) => [withoutDot(path), content]))
    for (const [path, content] of files) checkOriginal(content, path)
    const read = readPlan(input, deadline)
    const named = read.files.map(withPath)
    checkNeeded(named, files)
    return { changes: applyInOrder(named, read, files, deadline) }
  })
}

/** A text that starts as an edit is that edit; any other is a reply with edits in it. */
function readPlan({ edit, format }: PlanInput, deadline: Deadline): PlanReading {
  const text = replyText(edit, deadline)
  if (format === 'whole') return { format, ...readFencedFiles(text, edit) }
  if (format !== undefined || opensOther(text)) return readChecked({ edit, format, original: '' }, deadline)
  const { blocks } = scanReply(text)
  const [first] = blocks
  if (!first) refuse('malformed', 'There is no edit in the text. Send search/replace blocks, a diff or a patch, each with its path.')
  const read = { format: first.block.format, files: filesOf(blocks, undefined), warnings: blocks.flatMap(({ block }) => block.warnings) }
  checkEdits(read.files)
  return read
}

/** Formats that are no blocks and so cannot stand in a reply. */
function opensOther(text: ReturnType<typeof editText>): boolean {
  const opened = detect(text, undefined)
  return opened !== undefined && !['search_replace', 'udiff', 'apply_patch'].includes(opened.format)
}

type NamedEdit = FileEdit & { path: string }

function withPath(file: FileEdit): NamedEdit {
  const { path, to } = file
  if (path === undefined)
    refuse('path_mismatch', 'An edit names no file. Write the path on a line of its own above the block.', { line: file.line })
  for (const name of to === undefined ? [path] : [path, to]) checkInside(name)
  return { ...file, path: withoutDot(path), ...(to !== undefined && { to: withoutDot(to) }) }
}

/** Files that an edit needs and that neither were given nor come into being before. */
function checkNeeded(edits: readonly NamedEdit[], files: ReadonlyMap<string, string | null>): void {
  const there = new Set([...files].flatMap(([path, content]) => (content === null ? [] : [path])))
  const missing = new Set<string>()
  for (const edit of edits) {
    if (!there.has(edit.path) && !creates(edit)) missing.add(edit.path)
    if (edit.intent === 'delete' || edit.to !== undefined) there.delete(edit.path)
    if (edit.intent !== 'delete') there.add(edit.to ?? edit.path)
  }
  if (missing.size === 0) return
  const paths = [...missing]
  refuse(
    'missing_file',
    `The edit needs ${paths.join(', ')}, which ${paths.length === 1 ? 'is' : 'are'} not there. Create what is missing, or correct the path.`,
    { paths },
  )
}

function creates({ intent, to, steps }: NamedEdit): boolean {
  if (intent === 'delete' || to !== undefined) return false
  if (intent !== 'edit') return true
  const [first] = steps
  if (first?.kind === 'content') return true
  if (first?.kind === 'text') return first.search === ''
  return first?.kind === 'lines' && !first.appends && first.anchors.length === 0 && first.ops.every(({ kind }) => kind === 'add')
}

function applyInOrder(
  edits: readonly NamedEdit[],
  read: PlanReading,
  given: ReadonlyMap<string, string | null>,
  deadline: Deadline,
): PlannedChange[] {
  const files = new Map(given)
  const changes: PlannedChange[] = []
  const failures: EditError[] = []
  let firstEdit = 0
  for (const edit of edits) {
    const original = files.get(edit.path) ?? null
    const result = tryFile(original, edit, { deadline, path: edit.path, firstEdit })
    firstEdit += Math.max(1, edit.steps.length)
    failures.push(...result.failures.map(error => aboutPath(error, edit.path)))
    if (result.failures.some(({ code }) => code === 'timeout')) break
    const path = edit.to ?? edit.path
    const warnings = [...result.warnings]
    if (edit.to !== undefined) {
      if ((files.get(edit.to) ?? null) !== null)
        warnings.push({ code: 'overwrote', message: `${edit.to} existed and was replaced by the renamed file.` })
      files.delete(edit.path)
    }
    files.set(path, result.content)
    changes.push({ ...changeOf(original, result, edit, read.format), warnings, path, ...(edit.to !== undefined && { from: edit.path }) })
  }
  refuseIfFailed(failures)
  const [first] = changes
  if (first) first.warnings.unshift(...read.warnings)
  return changes
}

function changeOf(
  original: string | null,
  { content, edits, warnings }: FileResult,
  { to, path }: NamedEdit,
  format: Format,
): PlannedChange {
  const action: Action = content === null ? 'delete' : to !== undefined ? 'rename' : original === null ? 'create' : 'update'
  return { content, format, action, path, changed: content !== original, edits, warnings }
}

/** A refusal among several files says which one it is about. */
function aboutPath(error: EditError, path: string): EditError {
  return error.paths ? error : { ...error, message: `${path}: ${error.message}`, paths: [path] }
}
