import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { ifThere, sizeOf } from './files.ts'
import { ToolError } from './tool.ts'

const MOST_BYTES = 512 << 20
const PIECE = 1 << 20
/** Where a file that is no text shows it. */
const BEGINNING = 8_192

/** Which part of a file is wanted: lines from `offset` on, and of each the characters from `column` on. */
export interface Window {
  offset: number
  limit: number
  column: number
  /** Most characters of a line. */
  width: number
}

export interface Line {
  text: string
  /** Characters behind what is shown. */
  rest: number
}

export interface Lines {
  lines: Line[]
  /** Of the whole file, as are the two below. */
  total: number
  sha256: string
  isText: boolean
}

/** Some lines of a file of nearly any size: it is gone through piece by piece, so that no more of it is held than is shown. Null
 *  where there is none; throws `ToolError` with words for the model. */
export function readLines(file: string, shown: string, window: Window): Lines | null {
  return ifThere(shown, () => {
    const size = sizeOf(file, shown)
    if (size > MOST_BYTES)
      throw new ToolError(`${shown} has ${size} bytes; at most ${MOST_BYTES} can be read. Use grep to find what matters.`)
    const opened = openSync(file, 'r')
    try {
      return gather(opened, { shown, size }, window)
    } finally {
      closeSync(opened)
    }
  })
}

function gather(opened: number, { shown, size }: { shown: string; size: number }, window: Window): Lines {
  const hash = createHash('sha256')
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const collected = collect(window)
  const piece = Buffer.alloc(Math.min(PIECE, size + 1))
  let isText = true
  for (let read = readSync(opened, piece), first = true; read > 0; read = readSync(opened, piece), first = false) {
    const bytes = piece.subarray(0, read)
    if (first && bytes.subarray(0, BEGINNING).includes(0))
      throw new ToolError(`${shown} is a binary file of ${size} bytes; it cannot be read as text.`)
    hash.update(bytes)
    const text = decoder.decode(bytes, { stream: true })
    isText &&= !text.includes('\ufffd') || isUtf8(bytes)
    collected.take(text)
  }
  collected.take(decoder.decode())
  return { ...collected.end(), sha256: hash.digest('hex'), isText }
}

/** Takes a text in pieces and keeps what the window shows of it. */
function collect({ offset, limit, column, width }: Window) {
  const lines: Line[] = []
  let number = 1
  let length = 0
  let kept = ''
  const isShown = (): boolean => number >= offset && number < offset + limit
  const part = (text: string): void => {
    if (isShown()) kept += text.slice(Math.max(0, column - 1 - length), Math.max(0, column - 1 + width + 1 - length))
    length += text.length
  }
  const endLine = (): void => {
    if (isShown()) lines.push(lineOf(kept, { width, behind: length - (column - 1) }))
    number++
    length = 0
    kept = ''
  }
  return {
    take: (text: string): void => {
      let from = 0
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
        part(text.slice(from, at))
        endLine()
        from = at + 1
      }
      part(text.slice(from))
    },
    end: (): Pick<Lines, 'lines' | 'total'> => {
      if (length > 0) endLine()
      return { lines, total: number - 1 }
    },
  }
}

/** A line as it is shown: without the carriage return of its end, and never with half a character. */
function lineOf(kept: string, { width, behind }: { width: number; behind: number }): Line {
  const isWhole = behind <= width + 1
  const plain = isWhole && kept.endsWith('\r') ? kept.slice(0, -1) : kept
  const split = plain.length > width && isHighSurrogate(plain, width - 1) ? width - 1 : width
  const text = plain.slice(0, split)
  return { text, rest: Math.max(0, behind - (kept.length - plain.length) - text.length) }
}

function isHighSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xd800 && unit <= 0xdbff
}
