import type { TestCounts } from '../facts.ts'

/** One stream of output without colours, whole and by line. */
export interface Output {
  text: string
  lines: readonly string[]
  /** Numbers of the lines that any format could look at; most of an output is nothing to them. */
  telling: readonly number[]
}

/** What a format recognises in an output, by line. A `start` says that a further runner begins; a `summary` is what one said at
 *  its end. Summaries with different keys are of parts of one run (packages, assemblies). Null: it ran, but does not say how much. */
export type Mark =
  | { line: number; kind: 'start' }
  | { line: number; kind: 'summary'; format: string; key?: string; counts: TestCounts | null }

/** One way in which a test runner reports. Pure, linear in the output, never throws. */
export interface Format {
  name: string
  marks: (output: Output) => Mark[]
  /** Adds up what stands all over the output, so that it knows nothing once a part is left out. */
  needsAll?: true
}

/** No runner writes longer lines in its summary; looking at longer ones would only cost time. */
const LONGEST_LINE = 4096
const TELLING = /\d|test|^ *(?:not )?ok\b|^> \S|^ *(?:---|\.\.\.|\})$|^(?:Bail out!|=== RUN|Test run summary: )/

export function outputOf(text: string): Output {
  const lines = text.split('\n').map(line => line.trimEnd())
  const telling: number[] = []
  lines.forEach((line, i) => {
    if (line !== '' && line.length <= LONGEST_LINE && TELLING.test(line)) telling.push(i)
  })
  return { text, lines, telling }
}

/** What a format says about single lines, in one list. */
export function marksByLine({ lines, telling }: Output, read: (text: string, line: number) => Mark[]): Mark[] {
  const marks: Mark[] = []
  for (const line of telling) for (const mark of read(lines[line] ?? '', line)) marks.push(mark)
  return marks
}

export function countsOf(passed: number, failed: number, skipped: number): TestCounts {
  return { ran: passed + failed, passed, failed, skipped }
}

/** The counts where they add up to what the runner says itself; a summary that does not is not one. */
export function totalling(counts: TestCounts, total: number): TestCounts | null {
  return counts.ran + counts.skipped === total ? counts : null
}

/** `1 failed, 12 passed` as numbers by word. */
export function numbersByWord(text: string): (...words: string[]) => number {
  const found = new Map<string, number>()
  for (const [, count = '', word = ''] of text.matchAll(/(\d{1,9}) ([a-z]+(?: [a-z]+)*)/g)) found.set(word, Number(count))
  return (...words) => words.reduce((sum, word) => sum + (found.get(word) ?? 0), 0)
}

/** `Failed: 1, Passed: 12` as numbers by name. */
export function numbersByName(text: string): (...names: string[]) => number {
  const found = new Map<string, number>()
  for (const [, name = '', count = ''] of text.matchAll(/([A-Za-z][A-Za-z ]*?)\s*[:=]\s*(\d{1,9})/g))
    found.set(name.toLowerCase(), Number(count))
  return (...names) => names.reduce((sum, name) => sum + (found.get(name) ?? 0), 0)
}

/** A format whose summary is one line. `read` says null where the line only looks like one. */
export function oneLine(
  name: string,
  row: {
    start?: RegExp
    summary: RegExp
    read: (match: RegExpExecArray, before: string) => TestCounts | null
    /** Which part of a run it speaks about. */
    key?: (match: RegExpExecArray) => string
  },
): Format {
  return {
    name,
    marks: output =>
      marksByLine(output, (text, line) => {
        if (row.start?.test(text)) return [{ line, kind: 'start' }]
        const match = row.summary.exec(text)
        const counts = match && row.read(match, output.lines[line - 1] ?? '')
        return match && counts ? [{ line, kind: 'summary', format: name, counts, ...(row.key && { key: row.key(match) }) }] : []
      }),
  }
}
