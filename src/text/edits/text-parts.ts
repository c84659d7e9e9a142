import { countBreaks, lineStart, nextLineStart } from './lines.ts'
import { eachOccurrence } from './occurrences.ts'

const PART = 262_144

interface Part {
  readonly text: string
  /** Line breaks in it, once somebody asked. */
  breaks?: number
}

/** Whole lines of a text. */
export interface LineRange {
  start: number
  end: number
  text: string
  /** The number of the first one, from 1. */
  line: number
}

/** A text that is changed in many places. It is kept in parts, each of which but the last ends with a line break, so that a change
 *  copies one part and not the whole. */
export class TextParts {
  readonly #parts: Part[] = []

  constructor(text: string, size = PART) {
    for (let from = 0; from < text.length; ) {
      const end = nextLineStart(text, Math.min(from + size, text.length))
      this.#parts.push({ text: text.slice(from, end) })
      from = end
    }
  }

  toString(): string {
    return this.#parts.map(({ text }) => text).join('')
  }

  /** The place at or after an offset where a text stands; undefined where it stands nowhere or more than once. */
  onlyPlace(needle: string, from: number): number | undefined {
    const places: number[] = []
    const look = (text: string, base: number): void =>
      eachOccurrence(text, needle, Math.max(0, from - base), at => places.push(base + at) < 2)
    let base = 0
    for (const [i, { text }] of this.#parts.entries()) {
      look(text, base)
      base += text.length
      const before = text.slice(Math.max(0, text.length - needle.length + 1))
      look(before + this.#startBehind(i, needle.length - 1), base - before.length)
      if (places.length > 1) return undefined
    }
    return places[0]
  }

  /** The lines that a range touches; undefined where the last of them has no break. */
  linesAround(from: number, to: number): LineRange | undefined {
    const first = this.#partAt(from)
    const last = this.#partAt(to)
    if (!first || !last) return undefined
    const start = lineStart(first.text, from - first.base)
    const end = nextLineStart(last.text, to - last.base)
    if (last.text[end - 1] !== '\n') return undefined
    const parts = this.#parts.slice(first.index, last.index + 1).map(({ text }) => text)
    const before = this.#parts.slice(0, first.index).reduce((sum, part) => sum + breaksIn(part), 0)
    return {
      start: first.base + start,
      end: last.base + end,
      text: parts.join('').slice(start, last.base + end - first.base),
      line: before + countBreaks(first.text, 0, start) + 1,
    }
  }

  /** Puts other text in the place of whole lines. */
  replace({ start, end }: LineRange, text: string): void {
    const first = this.#partAt(start)
    const last = this.#partAt(end - 1)
    if (!first || !last) return
    const whole = first.text.slice(0, start - first.base) + text + last.text.slice(end - last.base)
    this.#parts.splice(first.index, last.index - first.index + 1, { text: whole })
  }

  /** The first characters behind a part. */
  #startBehind(index: number, length: number): string {
    let start = ''
    for (let i = index + 1; i < this.#parts.length && start.length < length; i++)
      start += this.#parts[i]?.text.slice(0, length - start.length)
    return start
  }

  #partAt(offset: number): { index: number; base: number; text: string } | undefined {
    let base = 0
    for (const [index, { text }] of this.#parts.entries()) {
      if (offset < base + text.length) return { index, base, text }
      base += text.length
    }
    return undefined
  }
}

function breaksIn(part: Part): number {
  part.breaks ??= countBreaks(part.text)
  return part.breaks
}
