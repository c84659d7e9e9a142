import type { Block, EditText } from './edit-text.ts'
import { replacing } from './line-edit.ts'
import type { LinesStep } from './parsed.ts'
import { malformed } from './refusal.ts'
import type { Warning } from './types.ts'

/** Blocks of old and new lines between markers. The run of the opener fixes the length of the other two markers, so that a block
 *  can hold shorter or longer ones as content. */

interface Markers {
  opener: RegExp
  closer: RegExp
  /** Only texts whose first line cannot be anything else are broken openers. */
  broken: RegExp
}

const MARKERS: readonly Markers[] = [
  {
    opener: /^(<{3,12}) ?(?:SEARCH|ORIGINAL|OLD)>?\s*$/i,
    closer: /^(>{3,12}) ?(?:REPLACE|UPDATED|NEW)\s*$/i,
    broken: /^<{3,12} ?(?:SEARCH|ORIGINAL|OLD)(?![A-Za-z0-9_])/i,
  },
  // Three dashes and a name that begins with "search" are the header of a diff.
  { opener: /^(-{3,12}) ?SEARCH>?\s*$/i, closer: /^(\+{3,12}) ?REPLACE\s*$/i, broken: /^-{4,12} ?SEARCH(?![A-Za-z0-9_])/i },
]

const SEPARATOR = /^(={3,12})[ \t]*$/

function markersOf(line: string): { markers: Markers; length: number } | undefined {
  for (const markers of MARKERS) {
    const run = markers.opener.exec(line)?.[1]
    if (run !== undefined) return { markers, length: run.length }
  }
  return undefined
}

export function opensBlock(line: string): boolean {
  return markersOf(line) !== undefined
}

/** A line that opens a block but for what stands behind its label. */
export function isBrokenOpener(line: string): boolean {
  return !opensBlock(line) && MARKERS.some(({ broken }) => broken.test(line))
}

export function isCloser(line: string): boolean {
  return MARKERS.some(({ closer }) => closer.test(line))
}

export function isSeparator(line: string): boolean {
  return SEPARATOR.test(line)
}

/** Reads the block that opens at a line. */
export function readBlock({ lines, firstLine }: EditText, start: number): Block & { search: string[]; replace: string[] } {
  const opening = markersOf(lines[start] ?? '')
  if (!opening) malformed('A line that opens a block is <<<<<<< SEARCH with nothing behind it.', firstLine + start)
  const found = findMarkers(lines, start, opening, firstLine)
  const hint = readHint(lines, start + 1, found.separator)
  const search = lines.slice(hint.end, found.separator)
  const replace = lines.slice(found.separator + 1, found.closer)
  const step: LinesStep = {
    kind: 'lines',
    ops: replacing(search, replace),
    ...(hint.line !== undefined && { hint: hint.line }),
    anchors: [],
    inOrder: false,
    atEnd: false,
    appends: false,
    line: firstLine + start,
  }
  return {
    format: 'search_replace',
    start,
    end: found.closer + 1,
    files: [{ path: undefined, intent: 'edit', steps: [step], line: firstLine + start }],
    warnings: found.warnings,
    search,
    replace,
  }
}

interface FoundMarkers {
  separator: number
  closer: number
  warnings: Warning[]
}

function findMarkers(
  lines: readonly string[],
  start: number,
  { markers, length }: { markers: Markers; length: number },
  firstLine: number,
): FoundMarkers {
  const sameOpener = (line: string): boolean => markersOf(line)?.length === length
  const runAt = (marker: RegExp, i: number): number | undefined => marker.exec(lines[i] ?? '')?.[1]?.length
  const within = (marker: RegExp, from: number, to: number): number[] => range(from, to).filter(i => runAt(marker, i) !== undefined)
  const warnings: Warning[] = []
  const one = (marker: RegExp, name: string, from: number, to: number): number => {
    const other = within(marker, from, to)
    if (other.length !== 1) {
      const problem = other.length === 0 ? `has no ${name}` : `has no ${name} of ${length} characters and ${other.length} of other lengths`
      malformed(
        `The block that opens at line ${firstLine + start} ${problem}. Write the whole block again, with all three markers of one length.`,
        firstLine + start,
      )
    }
    warnings.push({ code: 'marker_length', message: `The ${name} has another length than the opener, which has ${length} characters.` })
    return other[0] ?? to
  }
  let closer = start + 1
  while (closer < lines.length && runAt(markers.closer, closer) !== length && !sameOpener(lines[closer] ?? '')) closer++
  if (runAt(markers.closer, closer) !== length) closer = one(markers.closer, 'closer', start + 1, firstOpener(lines, start + 1))
  const separators = within(SEPARATOR, start + 1, closer).filter(i => runAt(SEPARATOR, i) === length)
  if (separators.length > 1)
    malformed(
      `The block that opens at line ${firstLine + start} has ${separators.length} separators of ${length} "=". Use longer markers, all three of one length, when such a line is part of the text.`,
      firstLine + (separators[1] ?? start),
    )
  return { closer, separator: separators[0] ?? one(SEPARATOR, 'separator', start + 1, closer), warnings }
}

function firstOpener(lines: readonly string[], from: number): number {
  let i = from
  while (i < lines.length && !opensBlock(lines[i] ?? '')) i++
  return i
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i)
}

/** Line numbers that some tools put between the opener and the search. */
function readHint(lines: readonly string[], start: number, separator: number): { end: number; line?: number } {
  let i = start
  let line: number | undefined
  for (let found = HINT.exec(lines[i] ?? ''); found && i < separator; found = HINT.exec(lines[++i] ?? ''))
    if (found[1] === 'start') line = Number(found[2])
  const hinted = i > start && i < separator && /^-{3,}[ \t]*$/.test(lines[i] ?? '')
  return hinted ? { end: i + 1, ...(line !== undefined && { line }) } : { end: start }
}

const HINT = /^:(start|end)_line:[ \t]*(\d{1,9})[ \t]*$/
