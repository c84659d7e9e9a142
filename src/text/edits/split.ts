import { BLOCK_READERS, type FoundBlock, type Scan, scan } from './blocks.ts'
import { checkBytes } from './bounds.ts'
import { callDeadline, type Deadline } from './deadline.ts'
import { type EditText, editText } from './edit-text.ts'
import { LIMITS } from './limits.ts'
import { outcomeOf, refuse } from './refusal.ts'
import { readBlock } from './search-replace.ts'
import type { Format, Outcome, Warning } from './types.ts'

export interface SplitInput {
  /** A whole reply. */
  text: string
  /** The file of blocks that name none. */
  path?: string | undefined
}

export interface SplitEdit {
  path: string | null
  format: Format
  /** The edit alone, as `edit.apply` takes it. */
  edit: string
  search?: string
  replace?: string
}

export interface SplitOutput {
  edits: SplitEdit[]
  /** The reply without its edits. */
  rest: string
  warnings: Warning[]
}

/** The edits in a whole reply. Never throws for any text. */
export function splitReply({ text: written, path }: SplitInput, deadline: Deadline = callDeadline()): Outcome<SplitOutput> {
  return outcomeOf(() => {
    const text = replyText(written, deadline)
    const found = scanReply(text)
    let current = path
    const edits = found.blocks.flatMap(block => {
      const parts = partsOf(text, block, current)
      current = parts.at(-1)?.path ?? current
      return parts
    })
    return {
      edits,
      rest: found.prose.map(i => `${text.lines[i] ?? ''}\n`).join(''),
      warnings: found.blocks.flatMap(({ block }) => block.warnings),
    }
  })
}

export function replyText(written: string, deadline: Deadline): EditText {
  checkBytes('The text', written, LIMITS.editBytes)
  if (written.includes('\0')) refuse('binary', 'The text holds the character U+0000.')
  return editText(written, deadline)
}

export function scanReply(text: EditText): Scan {
  return scan(text, { readers: BLOCK_READERS, amid: 'prose', broken: 'refuse' })
}

/** One part per file, each of them an edit of its own. */
function partsOf(text: EditText, { block, path: above }: FoundBlock, before: string | undefined): SplitEdit[] {
  const { format, files, start, end } = block
  if (format === 'search_replace') {
    const { search, replace } = readBlock(text, start)
    const joined = (lines: readonly string[]): string => lines.map(line => `${line}\n`).join('')
    return [{ path: above ?? before ?? null, format, edit: slice(text, start, end), search: joined(search), replace: joined(replace) }]
  }
  return files.map((file, i) => {
    const from = i === 0 ? start : file.line - text.firstLine
    const next = files[i + 1]
    const to = next ? next.line - text.firstLine : end
    const edit =
      format === 'apply_patch' ? patchOf(text, file.line - text.firstLine, next ? to : endOfPatch(text, end)) : slice(text, from, to)
    return { path: file.path ?? above ?? before ?? null, format, edit }
  })
}

function slice({ lines }: EditText, start: number, end: number): string {
  return lines
    .slice(start, end)
    .map(line => `${line}\n`)
    .join('')
}

function patchOf(text: EditText, start: number, end: number): string {
  return `*** Begin Patch\n${slice(text, start, end)}*** End Patch\n`
}

function endOfPatch({ lines }: EditText, end: number): number {
  let i = end - 1
  while ((lines[i] ?? '').trim() !== '*** End Patch') i--
  return i
}
