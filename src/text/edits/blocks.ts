import { opensPatch, readPatch } from './apply-patch.ts'
import { type Block, closesFence, type EditText, isFenceLine, isFenceOpening, nextFilled, pathAbove, pathIn } from './edit-text.ts'
import { isBlankLine } from './lines.ts'
import type { FileEdit, Reading, Step } from './parsed.ts'
import { malformed, Refusal } from './refusal.ts'
import { isBrokenOpener, isCloser, opensBlock, readBlock } from './search-replace.ts'
import type { Format, Warning } from './types.ts'
import { isHunkHeader, opensDiff, readDiff } from './udiff.ts'

/** The formats whose pieces can stand in the middle of other text. */
export interface BlockReader {
  format: Format
  opens: (lines: readonly string[], i: number, amid: 'text' | 'prose') => boolean
  read: (text: EditText, start: number) => Block
}

export const BLOCK_READERS: readonly BlockReader[] = [
  { format: 'apply_patch', opens: opensPatch, read: readPatch },
  { format: 'search_replace', opens: (lines, i) => opensBlock(lines[i] ?? '') || isBrokenOpener(lines[i] ?? ''), read: readBlock },
  { format: 'udiff', opens: opensDiff, read: readDiff },
]

/** A block with what stands around it. */
export interface FoundBlock {
  block: Block
  fenced: boolean
  path: string | undefined
}

export interface Scan {
  blocks: FoundBlock[]
  /** Lines that belong to no block, without the fences and path lines of blocks. */
  prose: number[]
}

interface ScanOptions {
  readers: readonly BlockReader[]
  amid: 'text' | 'prose'
  /** What to do with a block that is not complete. */
  broken: 'refuse' | 'skip'
}

/** Finds the blocks of a text, in order. */
export function scan(text: EditText, { readers, amid, broken }: ScanOptions): Scan {
  const { lines } = text
  const found: Scan = { blocks: [], prose: [] }
  let { fence } = text
  let blockEnd = 0
  for (let i = 0; i < lines.length; ) {
    text.deadline.check()
    const line = lines[i] ?? ''
    const reader = readers.find(({ opens }) => opens(lines, i, amid))
    const block = reader && (broken === 'refuse' ? reader.read(text, i) : readOrSkip(reader, text, i))
    if (!block) {
      // Taken for prose, the end of a block whose start was not understood would hide an edit.
      if (broken === 'refuse' && isCloser(line) && readers.some(({ format }) => format === 'search_replace'))
        malformed('This line closes a block that was never opened by a line <<<<<<< SEARCH.', text.firstLine + i)
      if (fence !== undefined && closesFence(fence, line)) fence = undefined
      else if (fence === undefined && isFenceOpening(line)) fence = line
      found.prose.push(i)
      i++
      continue
    }
    const above = pathAbove(lines, i, blockEnd)
    if (above) removeFrom(found.prose, above.line)
    if (broken === 'refuse') checkDiffEnd(text, block, fence)
    found.blocks.push({ block, fenced: fence !== undefined, path: above?.path })
    blockEnd = block.end
    i = block.end
  }
  return found
}

function readOrSkip(reader: BlockReader, text: EditText, start: number): Block | undefined {
  try {
    return reader.read(text, start)
  } catch (thrown) {
    if (thrown instanceof Refusal && thrown.error.code !== 'timeout') return undefined
    throw thrown
  }
}

function removeFrom(lines: number[], line: number): void {
  const at = lines.lastIndexOf(line)
  if (at >= 0) lines.splice(at, 1)
}

/** A diff has no end marker. A line that breaks off a hunk must not make the rest of it pass as prose. */
function checkDiffEnd({ lines, firstLine }: EditText, { format, end }: Block, fence: string | undefined): void {
  if (format !== 'udiff') return
  const next = fence === undefined ? end : nextFilled(lines, end)
  const line = lines[next]
  if (line === undefined || isBlankLine(line) || (fence !== undefined && closesFence(fence, line))) return
  if (opensAny(lines, next) || isPathOfNext(lines, next)) return
  malformed('A line of a hunk starts with a blank, "-" or "+". Set text after a diff apart by an empty line.', firstLine + next)
}

function opensAny(lines: readonly string[], i: number): boolean {
  return BLOCK_READERS.some(({ opens }) => opens(lines, i, 'prose'))
}

/** Whether a line names the file of a block below it. Above a bare hunk it may as well be code that broke off the one before. */
function isPathOfNext(lines: readonly string[], i: number): boolean {
  if (pathIn(lines[i] ?? '') === undefined) return false
  const below = nextFilled(lines, i + 1)
  const opening = isFenceOpening(lines[below] ?? '') ? nextFilled(lines, below + 1) : below
  return opensAny(lines, opening) && (opening > below || !isHunkHeader(lines[opening] ?? ''))
}

/** Reads a text that consists of blocks of one format. */
export function readBlocks(text: EditText, reader: BlockReader, prose: 'refuse' | 'ignore'): Reading {
  const found = scan(text, { readers: [reader], amid: 'text', broken: 'refuse' })
  const stray = found.prose.find(i => !isBlankLine(text.lines[i] ?? '') && !isFenceLine(text.lines[i] ?? ''))
  if (stray !== undefined && prose === 'refuse')
    malformed('This line belongs to no edit. Send only the edits, or pass the format to have other text ignored.', text.firstLine + stray)
  if (found.blocks.length === 0) malformed(`There is no complete ${reader.format} edit in the text.`, text.firstLine)
  const ignored: Warning[] = stray === undefined ? [] : [{ code: 'prose_ignored', message: 'Text around the edits was ignored.' }]
  return { files: filesOf(found.blocks, text.path), warnings: [...found.blocks.flatMap(({ block }) => block.warnings), ...ignored] }
}

/** The edits of blocks by file. A block that names none belongs to the file of the one before it. */
export function filesOf(blocks: readonly FoundBlock[], first: string | undefined): FileEdit[] {
  const files: FileEdit[] = []
  let path = first
  // The steps of the last file, while more may join them.
  let open: Step[] | undefined
  for (const { block, path: above } of blocks) {
    path = above ?? path
    for (const file of block.files) {
      const named = { ...file, path: file.path ?? path }
      const loose = isLoose(named)
      if (open && loose && files.at(-1)?.path === named.path) open.push(...named.steps)
      else {
        const steps = [...named.steps]
        files.push({ ...named, steps })
        open = loose ? steps : undefined
      }
      path = named.to ?? named.path
    }
  }
  return files
}

// Hunks are looked for after the one before them, and that order begins anew with each section.
function isLoose({ intent, to, steps }: FileEdit): boolean {
  return intent === 'edit' && to === undefined && steps.every(step => step.kind === 'lines' && !step.inOrder)
}
