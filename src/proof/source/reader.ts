// Reads a program as text, once and from left to right: code, comments, and strings with holes in which code stands again.
// What is open is kept on a stack of our own, because hostile text may nest deeper than calls can.

export interface Span {
  kind: 'comment' | 'string'
  start: number
  end: number
}

/** How a string goes on once it is open. */
export interface Quote {
  close: string
  escape: 'backslash' | 'doubled' | 'none'
  /** It ends with its line, closed or not. */
  oneLine?: true
  hole?: Hole
  /** Opens another level of the same string: `%w[a [b]]`. */
  nest?: string
}

/** Where code stands inside a string. */
export interface Hole {
  open: string
  nest: string
  close: string
  /** Stands for itself and opens nothing: `{{`. */
  literal?: string
  /** From here to the end of the hole stands a format, in which quotes and comments mean nothing. */
  format?: string
  noComments?: true
}

interface Frame {
  nest: string
  close: string
  depth: number
  oneLine: boolean
  noComments: boolean
  format: string | undefined
  inFormat: boolean
  /** Goes on with what the hole stands in; gives the place where code begins again. */
  resume: (reader: Reader, at: number) => number
}

/** Tries to begin something other than code. Gives where code goes on, or -1. */
export type Opener = (reader: Reader, at: number) => number

export interface Grammar {
  lineComments: readonly string[]
  blockComments?: { open: string; close: string; nested?: true }
  /** By the character at which they can begin. */
  openers: Readonly<Record<string, Opener>>
  /** What is skipped as one in code: `\'` in a shell. */
  codeEscape?: string
  start?: Opener
}

interface Heredoc {
  word: string
  indented: boolean
  /** More may stand behind the word on its line. */
  open: boolean
}

export class Reader {
  readonly text: string
  readonly spans: Span[] = []
  readonly pending: Heredoc[] = []
  readonly frames: Frame[] = []
  /** The last place of code that is no blank; -1 at the start. */
  last = -1

  constructor(text: string) {
    this.text = text
  }

  mark(kind: Span['kind'], start: number, end: number): void {
    if (end > start) this.spans.push({ kind, start, end })
  }

  enter(hole: Hole, { oneLine, resume }: { oneLine: boolean; resume: Frame['resume'] }): void {
    this.frames.push({
      nest: hole.nest,
      close: hole.close,
      depth: 0,
      oneLine,
      noComments: hole.noComments === true,
      format: hole.format,
      inFormat: false,
      resume,
    })
  }
}

export function readSpans(text: string, grammar: Grammar): Span[] {
  const reader = new Reader(text)
  let at = Math.max(0, grammar.start?.(reader, 0) ?? 0)
  while (at < text.length) at = readCode(reader, grammar, at)
  return reader.spans
}

function readCode(reader: Reader, grammar: Grammar, at: number): number {
  const { text, frames } = reader
  const char = text[at] ?? ''
  const frame = frames.at(-1)
  if (char === '\n') return newLine(reader, at)
  if (char === ' ' || char === '\t' || char === '\r') return at + 1
  if (!frame?.inFormat) {
    const next = notCode(reader, grammar, at)
    if (next >= 0) return next
  }
  reader.last = at
  if (frame) {
    if (char === frame.nest) frame.depth++
    else if (char === frame.close && frame.depth-- === 0) {
      frames.pop()
      return frame.resume(reader, at + 1)
    } else if (char === frame.format && frame.depth === 0) frame.inFormat = true
  }
  return char === grammar.codeEscape ? at + 2 : at + 1
}

function notCode(reader: Reader, grammar: Grammar, at: number): number {
  const { text } = reader
  const char = text[at] ?? ''
  const block = grammar.blockComments
  if (block && char === block.open[0] && text.startsWith(block.open, at)) {
    const end = blockEnd(text, at, block)
    reader.mark('comment', at, end)
    return end
  }
  const noComments = reader.frames.at(-1)?.noComments === true
  if (!noComments && grammar.lineComments.some(mark => text.startsWith(mark, at))) return lineComment(reader, at)
  const opener = Object.hasOwn(grammar.openers, char) ? grammar.openers[char] : undefined
  return opener ? opener(reader, at) : -1
}

export function lineComment(reader: Reader, at: number): number {
  const newline = reader.text.indexOf('\n', at)
  const end = newline < 0 ? reader.text.length : newline
  reader.mark('comment', at, end)
  return end
}

function blockEnd(text: string, at: number, { open, close, nested }: { open: string; close: string; nested?: true }): number {
  let depth = 1
  let i = at + open.length
  while (depth > 0) {
    const end = text.indexOf(close, i)
    if (end < 0) return text.length
    // What was counted is never looked at again.
    if (nested) for (let from = text.indexOf(open, i); from >= 0 && from < end; from = text.indexOf(open, from + open.length)) depth++
    depth--
    i = end + close.length
  }
  return i
}

function newLine(reader: Reader, at: number): number {
  while (reader.frames.at(-1)?.oneLine) reader.frames.pop()
  let next = at + 1
  for (const heredoc of reader.pending.splice(0)) next = heredocEnd(reader, next, heredoc)
  return next
}

function heredocEnd(reader: Reader, at: number, { word, indented, open }: Heredoc): number {
  const { text } = reader
  for (let start = at; start < text.length; ) {
    const newline = text.indexOf('\n', start)
    const end = newline < 0 ? text.length : newline
    const line = text.slice(start, end).replace(/\r$/, '')
    const bare = indented ? line.replace(/^[ \t]+/, '') : line
    if (open ? bare.startsWith(word) && !/^\w/.test(bare.slice(word.length)) : bare === word) {
      reader.mark('string', at, start)
      reader.last = start + line.length - bare.length + word.length - 1
      return reader.last + 1
    }
    start = end + 1
  }
  reader.mark('string', at, text.length)
  return text.length
}

/** Goes on in a string from its first character, or from behind a hole. */
export function readQuote(reader: Reader, from: number, quote: Quote, depth = 0): number {
  const { text } = reader
  const { close, escape, hole, nest } = quote
  let start = from
  let level = depth
  let i = from
  while (i < text.length) {
    const char = text[i]
    if (char === '\n' && quote.oneLine) break
    if (char === '\\' && escape === 'backslash') {
      const goesOn = /^\\\r?\n/.exec(text.slice(i, i + 3))
      // A backslash that continues the line stays, or the line would end the string when it is read again.
      if (goesOn) {
        reader.mark('string', start, i)
        start = i + 1
      }
      // Where braces are doubled to stand for themselves, a backslash does not take their meaning; `\\N{…}` is a character.
      const isBrace = hole?.literal !== undefined && text[i + 1] === hole.open
      i += goesOn ? goesOn[0].length : isBrace ? 1 : hole?.literal !== undefined && text.startsWith('\\N{', i) ? 3 : 2
    } else if (escape === 'doubled' && text.startsWith(close + close, i)) i += close.length * 2
    else if (nest !== undefined && char === nest) {
      level++
      i++
    } else if (text.startsWith(close, i)) {
      if (level-- > 0) i += close.length
      else {
        reader.mark('string', start, i)
        reader.last = i + close.length - 1
        return i + close.length
      }
    } else if (hole?.literal !== undefined && text.startsWith(hole.literal, i)) i += hole.literal.length
    else if (hole && text.startsWith(hole.open, i)) {
      reader.mark('string', start, i)
      const inside = level
      reader.enter(hole, { oneLine: quote.oneLine === true, resume: (again, at) => readQuote(again, at, quote, inside) })
      reader.last = i + hole.open.length - 1
      return i + hole.open.length
    } else i++
  }
  const end = Math.min(i, text.length)
  reader.mark('string', start, end)
  reader.last = from - 1
  return end
}
