import { firstIndex } from '../first-index.ts'
import { linesOf } from './lines.ts'
import { runsOf } from './occurrences.ts'

/** What has to be equal for two lines to be the same. */
export type LineKey = (line: string) => string

/** The text that is searched, with the forms of it that a search may need, each made when first asked for: an exact match
 *  needs no list of lines. */
export class TextView {
  readonly text: string
  #lines: string[] | undefined
  #starts: number[] | undefined
  #runs: { key: LineKey; old: readonly string[]; from: number; found: readonly number[] } | undefined

  constructor(text: string) {
    this.text = text
  }

  get lines(): readonly string[] {
    this.#lines ??= linesOf(this.text)
    return this.#lines
  }

  /** The offset at which a line, counted from 0, starts; the end of the text for the line after the last. */
  startOf(line: number): number {
    this.#starts ??= startsOf(this.lines)
    return Math.min(this.#starts[line] ?? this.text.length, this.text.length)
  }

  /** Where lines with the same keys as the old ones stand. The last answer is kept: levels that differ only in what they
   *  do with a place ask for the same one after the other. */
  runs(key: LineKey, old: readonly string[], from: number): readonly number[] {
    const known = this.#runs
    if (known && known.key === key && known.old === old && known.from === from) return known.found
    const found = runsOf(this.lines, key, old.map(key), from)
    this.#runs = { key, old, from, found }
    return found
  }

  /** The first line, counted from 0, that does not start before an offset. */
  lineFrom(offset: number): number {
    return offset === 0 ? 0 : firstIndex(this.lines.length, line => this.startOf(line) >= offset)
  }
}

function startsOf(lines: readonly string[]): number[] {
  const starts: number[] = []
  let offset = 0
  for (const line of lines) {
    starts.push(offset)
    offset += line.length + 1
  }
  return starts
}
