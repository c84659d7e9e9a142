import type { Block, EditText } from './edit-text.ts'
import { nextNotEmpty, readHunkLines } from './hunk.ts'
import { keepingCommonLines } from './line-edit.ts'
import { isBlankLine, trimBlanks } from './lines.ts'
import type { FileEdit, LinesStep } from './parsed.ts'
import { patchPath } from './patch-path.ts'
import { malformed, refuse } from './refusal.ts'

const BEGIN = '*** Begin Patch'
const END = '*** End Patch'
const HEREDOC = /^apply_patch\s+<<-?\s*(['"]?)(\w+)\1\s*$/

export function opensPatch(lines: readonly string[], i: number): boolean {
  const line = trimBlanks(lines[i] ?? '')
  return line === BEGIN || (HEREDOC.test(line) && trimBlanks(lines[i + 1] ?? '') === BEGIN)
}

/** Reads the patch that begins at a line, to its end line and the end of the shell text around it. */
export function readPatch(text: EditText, start: number): Block {
  const heredoc = HEREDOC.exec(trimBlanks(text.lines[start] ?? ''))?.[2]
  const files: FileEdit[] = []
  let i = start + (heredoc === undefined ? 1 : 2)
  while (trimBlanks(text.lines[i] ?? '') !== END) {
    if (i >= text.lines.length) malformed(`The patch does not end with "${END}". Send it again, complete.`, text.firstLine + start)
    if (isBlankLine(text.lines[i] ?? '')) {
      i++
      continue
    }
    text.deadline.check()
    const section = readSection(text, i)
    files.push(section.file)
    i = section.end
  }
  if (files.length === 0) malformed('The patch has no sections. Add one: *** Update File: path', text.firstLine + start)
  const closing = heredoc !== undefined && trimBlanks(text.lines[i + 1] ?? '') === heredoc ? 1 : 0
  return { format: 'apply_patch', start, end: i + 1 + closing, files, warnings: [] }
}

interface Section {
  file: FileEdit
  end: number
}

const SECTIONS: readonly { opener: string; read: (text: EditText, start: number, path: string) => Section }[] = [
  { opener: '*** Add File: ', read: readAdd },
  { opener: '*** Delete File: ', read: readDelete },
  { opener: '*** Update File: ', read: readUpdate },
]

function readSection(text: EditText, start: number): Section {
  const line = trimBlanks(text.lines[start] ?? '')
  const row = SECTIONS.find(({ opener }) => line.startsWith(opener))
  if (!row)
    malformed(
      'A section of a patch starts with "*** Add File: ", "*** Update File: " or "*** Delete File: " and a path.',
      text.firstLine + start,
    )
  return row.read(text, start, patchPath(line.slice(row.opener.length).trim(), 'none'))
}

function readAdd({ lines, firstLine }: EditText, start: number, path: string): Section {
  const content: string[] = []
  let i = start + 1
  // Blank lines may end the section; in the middle of it one has lost its mark.
  let blank: number | undefined
  for (; i < lines.length && !(lines[i] ?? '').startsWith('*** ') && trimBlanks(lines[i] ?? '') !== END; i++) {
    const line = lines[i] ?? ''
    const added = line.startsWith('+')
    if (added ? blank !== undefined : !isBlankLine(line))
      malformed('Every line of an added file starts with "+".', firstLine + (added ? (blank ?? i) : i))
    if (added) content.push(`${line.slice(1)}\n`)
    else blank ??= i
  }
  const step = { kind: 'content', content: content.join(''), as: 'text', line: firstLine + start } as const
  return { file: { path, intent: 'add', steps: [step], line: firstLine + start }, end: i }
}

function readDelete({ firstLine }: EditText, start: number, path: string): Section {
  return { file: { path, intent: 'delete', steps: [], line: firstLine + start }, end: start + 1 }
}

const MOVE = '*** Move to: '

function readUpdate(text: EditText, start: number, path: string): Section {
  const { lines, firstLine } = text
  const moved = trimBlanks(lines[start + 1] ?? '')
  const to = moved.startsWith(MOVE) ? patchPath(moved.slice(MOVE.length).trim(), 'none') : undefined
  const steps: LinesStep[] = []
  let i = start + (to === undefined ? 1 : 2)
  while (i < lines.length && !startsSection(lines[i] ?? '')) {
    text.deadline.check()
    const hunk = readHunk(text, i, steps.length === 0)
    if (hunk.step) steps.push(hunk.step)
    i = hunk.end
  }
  if (steps.length === 0 && (to === undefined || to === path))
    refuse('no_change', `The section for ${path} has no hunk. Add the lines to change.`, { line: firstLine + start })
  const renamed = to !== undefined && to !== path
  return { file: { path, ...(renamed && { to }), intent: 'edit', steps, line: firstLine + start }, end: i }
}

function startsSection(line: string): boolean {
  return trimBlanks(line) === END || SECTIONS.some(({ opener }) => line.startsWith(opener))
}

const END_OF_FILE = '*** End of File'

function readHunk({ lines, firstLine }: EditText, start: number, first: boolean): { step?: LinesStep; end: number } {
  const anchors: string[] = []
  let i = start
  for (; /^@@(?:[ \t]|$)/.test(lines[i] ?? ''); i++) {
    const anchor = trimBlanks((lines[i] ?? '').slice(2))
    if (anchor !== '') anchors.push(anchor)
  }
  if (i === start && !first && lines[i] !== '')
    malformed('A hunk starts with a line "@@", or "@@ " and a line of the file above it.', firstLine + i)
  const { ops, finalBreak, end } = readHunkLines(lines, i, at => (lines[at] ?? '').startsWith('*** ') || (lines[at] ?? '').startsWith('@@'))
  const atEnd = trimBlanks(lines[end] ?? '') === END_OF_FILE
  const after = nextNotEmpty(lines, end)
  if (ops.length === 0) {
    if (i === start && after > start) return { end: after }
    malformed('The hunk has no lines. Each starts with a blank, "-" or "+".', firstLine + start)
  }
  const step: LinesStep = {
    kind: 'lines',
    ops: keepingCommonLines(ops),
    anchors,
    inOrder: true,
    atEnd,
    appends: anchors.length === 0,
    ...(finalBreak && { finalBreak }),
    line: firstLine + start,
  }
  const next = atEnd ? end + 1 : after
  if (next < lines.length && !startsSection(lines[next] ?? '') && !/^@@(?:[ \t]|$)/.test(lines[next] ?? '') && lines[next] !== '')
    malformed('A line of a hunk starts with a blank, "-" or "+".', firstLine + next)
  return { step, end: next }
}
