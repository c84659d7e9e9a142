import type { Block, EditText } from './edit-text.ts'
import { nextNotEmpty, readHunkLines } from './hunk.ts'
import { keepingCommonLines, type Op } from './line-edit.ts'
import { isBlankLine } from './lines.ts'
import type { FileEdit, LinesStep } from './parsed.ts'
import { patchPath } from './patch-path.ts'
import { malformed, refuse } from './refusal.ts'
import type { Warning } from './types.ts'

const NUMBERS = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/

const INDEX = 'Index: '
const INDEX_LINES = 5

/** The first line of a diff. Amid prose a hunk needs its numbers. */
export function opensDiff(lines: readonly string[], i: number, amid: 'text' | 'prose'): boolean {
  const line = lines[i] ?? ''
  if (line.startsWith('diff --git ')) return true
  if (line.startsWith(INDEX)) return afterIndex(lines, i) !== undefined
  if (line.startsWith('--- ')) return (lines[i + 1] ?? '').startsWith('+++ ')
  return amid === 'prose' ? NUMBERS.test(line) : isHunkHeader(line)
}

/** Where the names of the file stand below a line that older tools begin with; what they write between is theirs. */
function afterIndex(lines: readonly string[], i: number): number | undefined {
  const below = lines.slice(i + 1, i + 1 + INDEX_LINES).findIndex(line => line.startsWith('--- '))
  return below < 0 ? undefined : i + 1 + below
}

export function isHunkHeader(line: string): boolean {
  return /^@@(?:[ \t]|$)/.test(line)
}

/** Reads the diff of one file or several that starts at a line, up to the first line that cannot be part of it. */
export function readDiff(text: EditText, start: number): Block {
  const files: FileEdit[] = []
  const warnings: Warning[] = []
  let end = start
  let steps = 0
  for (let i = start; i < text.lines.length && opensDiff(text.lines, i, files.length === 0 ? 'text' : 'prose'); ) {
    text.deadline.check()
    const section = readSection(text, i, steps)
    files.push(section.file)
    warnings.push(...section.warnings)
    steps += section.file.steps.length
    end = section.end
    i = end
    while (isBlankLine(text.lines[i] ?? '-')) i++
  }
  return { format: 'udiff', start, end, files, warnings }
}

interface Header {
  old?: string
  fresh?: string
  gitOld?: string
  gitFresh?: string
  from?: string
  to?: string
  deleted: boolean
  end: number
}

/** What lines of a header mean; the rest of a line is the value. */
const HEADER_LINES: readonly (readonly [string, (header: Header, value: string) => void])[] = [
  ['--- ', (header, value) => (header.old = fileName(value))],
  ['+++ ', (header, value) => (header.fresh = fileName(value))],
  ['rename from ', (header, value) => (header.from = patchPath(value, 'none'))],
  ['rename to ', (header, value) => (header.to = patchPath(value, 'none'))],
  ['deleted file mode', header => (header.deleted = true)],
  ['index ', () => undefined],
  ['old mode ', () => undefined],
  ['new mode ', () => undefined],
  ['new file mode', () => undefined],
  ['similarity index ', () => undefined],
  ['dissimilarity index ', () => undefined],
]

const GIT = 'diff --git '

/** The two paths of git's own header. Blanks in them are not marked, so only equal ones can then be told apart. */
function gitPaths(written: string): Pick<Header, 'gitOld' | 'gitFresh'> {
  const half = (written.length - 1) / 2
  const same = written.slice(2, half)
  if (written[half] === ' ' && written.startsWith('a/') && written.slice(half) === ` b/${same}`) return { gitOld: same, gitFresh: same }
  const [, old, fresh] = /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S+)$/.exec(written) ?? []
  return old === undefined || fresh === undefined ? {} : { gitOld: patchPath(old, 'sides'), gitFresh: patchPath(fresh, 'sides') }
}

function readHeader({ lines, firstLine }: EditText, start: number): Header {
  const header: Header = { deleted: false, end: start }
  let i = start
  if ((lines[i] ?? '').startsWith(GIT)) {
    Object.assign(header, gitPaths((lines[i] ?? '').slice(GIT.length)))
    i++
  } else if ((lines[i] ?? '').startsWith(INDEX)) i = afterIndex(lines, i) ?? i + 1
  for (; i < lines.length; i++) {
    const line = lines[i] ?? ''
    const row = HEADER_LINES.find(([name]) => line.startsWith(name))
    if (!row || (row[0] === '--- ' && header.old !== undefined)) break
    row[1](header, line.slice(row[0].length))
  }
  if (/^(?:copy from |GIT binary patch|Binary files )/.test(lines[i] ?? ''))
    malformed('Copies and binary patches are not taken. Write the new file with its content instead.', firstLine + i)
  header.end = i
  return header
}

function fileName(value: string): string {
  const name = value.replace(/\t.*$/s, '').trimEnd()
  return name === '/dev/null' ? name : patchPath(name, 'sides')
}

function readSection(text: EditText, start: number, firstStep: number): { file: FileEdit; warnings: Warning[]; end: number } {
  const header = readHeader(text, start)
  const steps: LinesStep[] = []
  const warnings: Warning[] = []
  let end = header.end
  while (isHunkHeader(text.lines[end] ?? '')) {
    text.deadline.check()
    const hunk = readHunk(text, end)
    if (hunk.miscounted)
      warnings.push({
        code: 'hunk_count',
        message: 'The numbers of a hunk header do not fit its lines; the lines were used.',
        edit: firstStep + steps.length,
      })
    steps.push(hunk.step)
    end = hunk.end
    while ((text.lines[end] ?? '-') === '' && isHunkHeader(text.lines[nextNotEmpty(text.lines, end)] ?? '')) end++
  }
  const intent = header.deleted || header.fresh === '/dev/null' ? 'delete' : header.old === '/dev/null' ? 'create' : 'edit'
  const old = header.from ?? (header.old === '/dev/null' ? header.fresh : header.old) ?? header.gitOld
  const to = header.to ?? (header.from === undefined ? undefined : header.gitFresh)
  if (steps.length === 0 && intent !== 'delete' && to === undefined)
    refuse('no_change', 'The diff has headers but no hunk. Add the hunks with the lines to change.', { line: text.firstLine + start })
  const file = { path: old, ...(to !== undefined && to !== old && { to }), intent, steps, line: text.firstLine + start } as const
  return { file, warnings, end }
}

function readHunk({ lines, firstLine }: EditText, start: number): { step: LinesStep; miscounted: boolean; end: number } {
  const header = lines[start] ?? ''
  const numbers = NUMBERS.exec(header)
  if (!numbers && /^@@ -\d/.test(header))
    malformed('A hunk header is "@@ -line,count +line,count @@", or "@@" without numbers.', firstLine + start)
  const { ops, finalBreak, end } = readHunkLines(lines, start + 1, i => startsNextFile(lines, i) || isHunkHeader(lines[i] ?? ''))
  if (ops.length === 0) malformed('The hunk has no lines. Each starts with a blank, "-" or "+".', firstLine + start)
  const step: LinesStep = {
    kind: 'lines',
    ops: keepingCommonLines(ops),
    ...(numbers && { hint: Number(numbers[1]) }),
    anchors: [],
    inOrder: true,
    atEnd: false,
    appends: false,
    ...(finalBreak && { finalBreak }),
    line: firstLine + start,
  }
  const counts = numbers && { old: Number(numbers[2] ?? 1), fresh: Number(numbers[4] ?? 1) }
  return { step, miscounted: counts !== null && (countExcept(ops, 'add') !== counts.old || countExcept(ops, 'drop') !== counts.fresh), end }
}

function countExcept(ops: readonly Op[], not: Op['kind']): number {
  return ops.filter(({ kind }) => kind !== not).length
}

// A removed line may look like a header; only three lines together are one.
function startsNextFile(lines: readonly string[], i: number): boolean {
  return (lines[i] ?? '').startsWith('--- ') && (lines[i + 1] ?? '').startsWith('+++ ') && (lines[i + 2] ?? '').startsWith('@@')
}
