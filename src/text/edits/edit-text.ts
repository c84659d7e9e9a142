import type { Deadline } from './deadline.ts'
import { foldLineBreaks, isBlankLine, linesOf, trimBlanks } from './lines.ts'
import type { FileEdit } from './parsed.ts'
import { withoutDot } from './patch-path.ts'
import type { Format, Warning } from './types.ts'

/** An edit as its format is read from it: line breaks folded, what models wrap around it taken off. */
export interface EditText {
  text: string
  lines: readonly string[]
  /** The number of the first line in what the model wrote. */
  firstLine: number
  /** From a path line that stood above. */
  path: string | undefined
  /** The opening of the fence around it, where that was taken off and the closing was not. */
  fence?: string
  deadline: Deadline
}

/** One complete piece of a format that may stand among other text. */
export interface Block {
  format: Format
  /** Lines from `start` to before `end`. */
  start: number
  end: number
  files: readonly FileEdit[]
  warnings: readonly Warning[]
}

export function editText(written: string, deadline: Deadline): EditText {
  const text = foldLineBreaks(written.startsWith('\uFEFF') ? written.slice(1) : written)
  return { text, lines: linesOf(text), firstLine: 1, path: undefined, deadline }
}

/** The lines from one to before another, as a text of its own. */
export function part({ lines, firstLine, path, deadline }: EditText, start: number, end: number): EditText {
  const inside = lines.slice(start, end)
  return { text: inside.map(line => `${line}\n`).join(''), lines: inside, firstLine: firstLine + start, path, deadline }
}

/** The first line from `start` that is not blank; the number of lines if there is none. */
export function nextFilled(lines: readonly string[], start: number): number {
  let i = start
  while (i < lines.length && isBlankLine(lines[i] ?? '')) i++
  return i
}

/** The last line before `before` that is not blank; -1 if there is none. */
export function lastFilled(lines: readonly string[], before: number): number {
  let i = before - 1
  while (i >= 0 && isBlankLine(lines[i] ?? '')) i--
  return i
}

/** Without blank lines around it. */
export function trimmedText(text: EditText): EditText {
  const start = nextFilled(text.lines, 0)
  const end = lastFilled(text.lines, text.lines.length) + 1
  return start === 0 && end === text.lines.length ? text : part(text, Math.min(start, end), end)
}

const FENCE = /^ {0,3}(`{3,}|~{3,})[^`]*$/
const TAG_OPENING = /^<(\w+)>\w*$/

export function isCodeFence(line: string): boolean {
  return FENCE.test(line)
}

/** Also a lone tag, which some models write for a fence. */
export function isFenceOpening(line: string): boolean {
  return isCodeFence(line) || TAG_OPENING.test(trimBlanks(line))
}

function isFenceClosing(line: string): boolean {
  return /^ {0,3}(`{3,}|~{3,})[ \t]*$/.test(line) || /^<\/\w+>$/.test(trimBlanks(line))
}

export function isFenceLine(line: string): boolean {
  return isFenceOpening(line) || isFenceClosing(line)
}

/** What two openings have in common that are closed by the same lines. */
export function fenceKind(opening: string): string {
  return FENCE.exec(opening)?.[1] ?? TAG_OPENING.exec(trimBlanks(opening))?.[1] ?? ''
}

/** Whether a line closes the fence that another opened. */
export function closesFence(opening: string, line: string): boolean {
  const marks = FENCE.exec(opening)?.[1]
  const tag = TAG_OPENING.exec(trimBlanks(opening))?.[1]
  if (tag !== undefined) return trimBlanks(line) === `</${tag}>`
  const closing = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1]
  return marks !== undefined && closing !== undefined && closing.startsWith(marks)
}

const MOST_PATH = 1024

/** The path that a line names, if it is one that models write above a block. */
export function pathIn(line: string): string | undefined {
  if (line.length > MOST_PATH) return undefined
  const bare = line.replace(/^[*`#: \t]+/, '').replace(/[*`#: \t]+$/, '')
  // A word that ends a sentence is no path, and neither is a lone tag.
  const named = /[./]/.test(bare) && !bare.endsWith('.') && !/\s/.test(bare) && /[\p{L}\p{N}_]/u.test(bare) && !/^<.*>$/.test(bare)
  return named ? bare : undefined
}

/** The path named above the line where a block opens; lines before `notBefore` belong to something else. */
export function pathAbove(lines: readonly string[], opening: number, notBefore: number): { path: string; line: number } | undefined {
  let at = lastFilled(lines, opening)
  if (at >= notBefore && isFenceOpening(lines[at] ?? '')) at = lastFilled(lines, at)
  const path = at >= notBefore ? pathIn(lines[at] ?? '') : undefined
  return path === undefined ? undefined : { path: withoutDot(path), line: at }
}
