import { opensSet, readSet } from './attributes.ts'
import { BLOCK_READERS, type BlockReader, readBlocks, scan } from './blocks.ts'
import type { Deadline } from './deadline.ts'
import {
  type Block,
  closesFence,
  type EditText,
  editText,
  isCodeFence,
  isFenceOpening,
  lastFilled,
  nextFilled,
  part,
  pathIn,
} from './edit-text.ts'
import { opensObjects, readObjects } from './json.ts'
import { isBlankLine } from './lines.ts'
import type { Reading } from './parsed.ts'
import { withoutDot } from './patch-path.ts'
import { malformed, refuse } from './refusal.ts'
import { findRemnant } from './remnants.ts'
import { opensReplacement, readReplacement } from './replace-only.ts'
import { opensCommands, readCommands } from './sed.ts'
import { FORMATS, type Format } from './types.ts'
import { readWhole } from './whole.ts'
import { opensElements, readElements } from './xml.ts'

interface FormatReader {
  /** Whether the text starts as this format. */
  opens(text: EditText): boolean
  read(text: EditText, prose: 'refuse' | 'ignore'): Reading
  /** Files in which such text is ordinary content. */
  contentOf?: RegExp
}

type OpenedFormat = Exclude<Format, 'whole'>

const PATCH_FILE = /\.(?:diff|patch)$/

const READERS: Readonly<Record<OpenedFormat, FormatReader>> = {
  apply_patch: { ...ofBlocks('apply_patch'), contentOf: PATCH_FILE },
  search_replace: ofBlocks('search_replace'),
  replace_only: { opens: opensReplacement, read: readReplacement },
  udiff: { ...ofBlocks('udiff'), contentOf: PATCH_FILE },
  xml: { opens: opensElements, read: readElements },
  json: { opens: opensObjects, read: readObjects },
  sed: { opens: opensCommands, read: readCommands, contentOf: /\.sed$/ },
  attributes: { opens: opensSet, read: readSet },
}

function ofBlocks(format: Format): FormatReader {
  const reader = BLOCK_READERS.find(row => row.format === format) as BlockReader
  return {
    opens: ({ lines }) => {
      const first = nextFilled(lines, 0)
      return first < lines.length && reader.opens(lines, first, 'text')
    },
    read: (text, prose) => readBlocks(text, reader, prose),
  }
}

export interface Detected extends Reading {
  format: Format
  /** Named by a path line above the edit. */
  path: string | undefined
}

/** Reads a text as the format that is asked for, or as the first one that it starts as. */
export function readEdit(
  written: string,
  about: { format?: Format | undefined; path?: string | undefined; original: string | null },
  deadline: Deadline,
): Detected {
  const text = editText(written, deadline)
  if (about.format === 'whole') return { ...readWhole(written, text), format: 'whole', path: undefined }
  if (about.format !== undefined) return readForced(text, about.format)
  const opened = detect(text, about.path)
  if (opened) return { ...READERS[opened.format].read(opened.text, 'refuse'), format: opened.format, path: opened.text.path }
  if (about.original !== null && about.original !== '') {
    if (text.lines.every(isBlankLine))
      malformed('The text is blank. Send an edit or the content; to empty the file on purpose, pass format "whole".', 1)
    checkNoHiddenEdit(text, about.path)
  }
  return { ...readWhole(written, text), format: 'whole', path: undefined }
}

function readForced(text: EditText, format: OpenedFormat): Detected {
  const reader = READERS[format]
  const form = forms(text).find(candidate => reader.opens(candidate)) ?? forms(text)[0] ?? text
  return { ...reader.read(form, 'ignore'), format, path: form.path }
}

/** The format that the text starts as, without `whole`. */
export function detect(text: EditText, path: string | undefined): { format: OpenedFormat; text: EditText } | undefined {
  for (const form of forms(text))
    for (const format of FORMATS) {
      if (format === 'whole') continue
      const reader = READERS[format]
      if (!reader.contentOf?.test(path ?? form.path ?? '') && reader.opens(form)) return { format, text: form }
    }
  return undefined
}

/** The text without the code fence around it; and that without a path line above, for when an edit follows. */
function forms(text: EditText): EditText[] {
  const first = nextFilled(text.lines, 0)
  const bare = isCodeFence(text.lines[first] ?? '') ? withoutFence(text, 'whole') : fromFirstLine(text)
  const path = pathIn(bare.lines[0] ?? '')
  if (path === undefined) return [bare]
  return [bare, { ...withoutFence(part(bare, 1, bare.lines.length), 'opening'), path: withoutDot(path) }]
}

/** Without blank lines before it. Those behind it stay: a blank line can be the last one of a hunk. */
function fromFirstLine(text: EditText): EditText {
  const first = nextFilled(text.lines, 0)
  return first === 0 ? text : part(text, first, text.lines.length)
}

/** Takes a fence off only if it is closed at the end, or its opening in any case. */
function withoutFence(text: EditText, wanted: 'whole' | 'opening'): EditText {
  const { lines } = text
  const first = nextFilled(lines, 0)
  const last = lastFilled(lines, lines.length)
  const opening = lines[first] ?? ''
  if (!isFenceOpening(opening)) return fromFirstLine(text)
  if (last > first && closesFence(opening, lines[last] ?? '')) return fromFirstLine(part(text, first + 1, last))
  return wanted === 'whole' ? fromFirstLine(text) : { ...fromFirstLine(part(text, first + 1, lines.length)), fence: opening }
}

const PROSE_FILE = /\.(?:md|mdx|txt|rst|adoc)$/

export function isProseFile(path: string | undefined): boolean {
  return path !== undefined && PROSE_FILE.test(path)
}

/** Lines that start with `@@`, `-` and `+` alone are too common to be taken for a diff. */
function isUnmistakable({ format, files }: Block): boolean {
  return format !== 'udiff' || files.some(({ steps }) => steps.some(step => step.kind === 'lines' && step.hint !== undefined))
}

/** A text that starts as content but holds an edit, or a part of one, can be read in two ways. */
function checkNoHiddenEdit(text: EditText, path: string | undefined): void {
  const readers = BLOCK_READERS.filter(({ format }) => !(READERS[format as OpenedFormat].contentOf?.test(path ?? '') ?? false))
  const { blocks } = scan(text, { readers, amid: 'prose', broken: 'skip' })
  const hidden = blocks.find(({ block, fenced }) => isUnmistakable(block) && (!fenced || !isProseFile(path)))
  const formats = readers.map(({ format }) => format)
  const found = hidden
    ? { format: hidden.block.format, line: hidden.block.start, what: 'edit with other text around it (it starts' }
    : { ...findRemnant(text.lines, formats, isProseFile(path) ? 'examples' : 'text'), what: 'edit that is not complete (see the marker' }
  if (found.format === undefined || found.line === undefined) return
  const { format, what } = found
  const line = text.firstLine + found.line
  refuse(
    'ambiguous_format',
    `The text can be the whole content, or a ${format} ${what} at line ${line}). Pass format "${format}" or "whole"; in a tag: <set path="…" format="whole">.`,
    { line },
  )
}
