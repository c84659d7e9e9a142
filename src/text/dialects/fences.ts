// Fenced blocks and code spans: examples, not acts. A few info strings say that the inside is meant to be called.
import { skipBlanksOnLine } from '../blanks.ts'
import { firstIndex } from '../first-index.ts'

const BACKTICK = 96
const TILDE = 126
const MOST_INDENT = 3
const LEAST_RUN = 3

/** The inside is read as if there were no fence. */
const CALLING = new Set(['tool_code', 'tool_command', 'tool_call', 'tool_calls', 'tools'])
/** The same, where the reply is nothing but fences. */
const CALLING_ALONE = new Set(['', 'xml', 'json', 'python'])

export interface Fence {
  info: string
  /** The inside, without the two fence lines. */
  inner: [number, number]
  /** Behind the closing line. */
  end: number
}

export function isCallingFence(fence: Fence, isAlone: () => boolean): boolean {
  return CALLING.has(fence.info) || (CALLING_ALONE.has(fence.info) && isAlone())
}

/** The run and the info of a line that opens a fence. */
export function fenceLine(line: string): { run: string; info: string } | undefined {
  const [, run = '', info = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/s.exec(line) ?? []
  return run === '' || (run.startsWith('`') && info.includes('`')) ? undefined : { run, info: infoWord(info) }
}

/** Whether a line closes the fence that another one opened. */
export function closedFenceLine(opener: string, line: string): boolean {
  const opened = fenceLine(opener)
  const run = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(line)?.[1]
  return opened !== undefined && run !== undefined && run[0] === opened.run[0] && run.length >= opened.run.length
}

/** Whether the inside of such a fence may be read, given that the reply may be nothing but fences. */
export function mayCall(opener: string, mayBeAlone: boolean): boolean {
  const info = fenceLine(opener)?.info ?? ''
  return CALLING.has(info) || (mayBeAlone && CALLING_ALONE.has(info))
}

function infoWord(info: string): string {
  return (info.trim().split(/\s/, 1)[0] ?? '').toLowerCase()
}

interface ClosingLine {
  lineAt: number
  end: number
  length: number
}

/** Answers for one text; its closing lines are found once. */
export class Fences {
  readonly #text: string
  readonly #end: number
  #closing: Record<number, ClosingLine[]> | undefined
  /** Run length from which on, and position after which, no closing line is left. */
  readonly #none: Record<number, { length: number; after: number }[]> = { [BACKTICK]: [], [TILDE]: [] }
  #spans: { line: [number, number]; closes: Map<number, number> } | undefined

  constructor(text: string, end: number) {
    this.#text = text
    this.#end = end
  }

  /** The fence whose opening line begins at `lineAt` with its first character at `at`; `unclosed` where no line ends it. */
  fenceAt(lineAt: number, at: number): Fence | 'unclosed' | undefined {
    const code = this.#text.charCodeAt(at)
    if ((code !== BACKTICK && code !== TILDE) || at - lineAt > MOST_INDENT) return undefined
    const length = runLength(this.#text, at, this.#end)
    if (length < LEAST_RUN) return undefined
    const lineEnd = this.#lineEnd(at)
    const info = this.#text.slice(at + length, lineEnd).trim()
    // As in CommonMark: three backticks that close on their own line are a code span.
    if (code === BACKTICK && info.includes('`')) return undefined
    const close = this.#closingLine(code, length, lineEnd)
    if (!close) return 'unclosed'
    const innerStart = Math.min(lineEnd + 1, close.lineAt)
    return { info: infoWord(info), inner: [innerStart, close.lineAt], end: close.end }
  }

  /** Behind the code span that begins with the run of backticks at `at`; undefined where no equal run follows on the line. */
  codeSpanEnd(at: number): number | undefined {
    if (!this.#spans || at < this.#spans.line[0] || at >= this.#spans.line[1]) this.#spans = this.#spansOfLine(at)
    return this.#spans.closes.get(at)
  }

  #lineEnd(at: number): number {
    const found = this.#text.indexOf('\n', at)
    return found < 0 || found > this.#end ? this.#end : found
  }

  #spansOfLine(at: number): { line: [number, number]; closes: Map<number, number> } {
    const lineEnd = this.#lineEnd(at)
    const runs: { at: number; length: number }[] = []
    for (let i = this.#text.indexOf('`', at); i >= 0 && i < lineEnd; ) {
      const length = runLength(this.#text, i, lineEnd)
      runs.push({ at: i, length })
      i = this.#text.indexOf('`', i + length)
    }
    const closes = new Map<number, number>()
    const nextOfLength = new Map<number, number>()
    for (const run of runs.reverse()) {
      const next = nextOfLength.get(run.length)
      if (next !== undefined) closes.set(run.at, next + run.length)
      nextOfLength.set(run.length, run.at)
    }
    return { line: [at, Math.max(lineEnd, at + 1)], closes }
  }

  #closingLine(code: number, length: number, after: number): ClosingLine | undefined {
    this.#closing ??= this.#findClosingLines()
    const none = this.#none[code] ?? []
    if (none.some(known => length >= known.length && after >= known.after)) return undefined
    const lines = this.#closing[code] ?? []
    for (let i = firstIndex(lines.length, index => (lines[index]?.lineAt ?? 0) > after); i < lines.length; i++) {
      const line = lines[i]
      if (line && line.length >= length) return line
    }
    none.push({ length, after })
    return undefined
  }

  #findClosingLines(): Record<number, ClosingLine[]> {
    const found: Record<number, ClosingLine[]> = { [BACKTICK]: [], [TILDE]: [] }
    for (let lineAt = 0; lineAt < this.#end; ) {
      const lineEnd = this.#lineEnd(lineAt)
      const at = skipBlanksOnLine(this.#text, lineAt, lineEnd)
      const code = this.#text.charCodeAt(at)
      if ((code === BACKTICK || code === TILDE) && at - lineAt <= MOST_INDENT) {
        const length = runLength(this.#text, at, lineEnd)
        if (length >= LEAST_RUN && skipBlanksOnLine(this.#text, at + length, lineEnd) === lineEnd)
          found[code]?.push({ lineAt, end: lineEnd, length })
      }
      lineAt = lineEnd + 1
    }
    return found
  }
}

function runLength(text: string, at: number, end: number): number {
  const code = text.charCodeAt(at)
  let i = at
  while (i < end && text.charCodeAt(i) === code) i++
  return i - at
}
