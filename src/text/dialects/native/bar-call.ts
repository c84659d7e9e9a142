import { isBlankOrBreak, skipBlanks, skipBlanksOnLine } from '../../blanks.ts'
import { setMember } from '../finish-call.ts'
import { parseStrictJson } from '../json.ts'
import { unreadable } from '../json-calls.ts'
import { MOST_DEPTH } from '../limits.ts'
import { calls, type Notation, type RawCall, unparsed, valueArguments, warning } from '../raw-call.ts'

const CLOSE = '<tool_call|>'
const OPEN = '<|tool_call>'
const BAR_QUOTE = '<|"|>'
const KEY = /(?:"((?:[^"\\]|\\.){0,256})"|'([^']{0,256})'|<\|"\|>([^<]{0,256})<\|"\|>|([^\s:,{}[\]"'<]{1,256}))\s*:/y

/** `call:name{key:value,…}` with its own quotes. */
export const barCall: Notation = {
  source: 'bar_call',
  opener: /<\|tool_call>\s*call:\s*([\w./:-]{1,128})\s*/y,
  read(context, opened) {
    const { text, end, ahead } = context
    const start = opened.index
    const name = opened[1] ?? ''
    if (text[start + opened[0].length] !== '{') return unreadable(context, name, { start, closers: [CLOSE] }, start + opened[0].length)
    const reader = new BarReader(text, start + opened[0].length, end)
    const value = reader.object()
    if (reader.cut) {
      ahead.pay(end - start)
      const cut: RawCall = { name, source: 'bar_call', span: [start, end], arguments: valueArguments(reader.partial), cut: true }
      return { ...calls([cut], end), valuesAt: start + opened[0].length }
    }
    if (!value) return unreadable(context, name, { start, closers: [CLOSE] }, reader.at)
    const closed = closingEnd(text, reader.at, end)
    if (closed === undefined) return unparsed(name, start, reader.at)
    const warnings = reader.inexact ? [warning('type', 'An integer is too great to be kept as a number and stays text.', start)] : []
    const twice = reader.twice === undefined ? {} : { twice: reader.twice }
    return calls([{ name, source: 'bar_call', span: [start, closed], arguments: valueArguments(value), ...twice }], closed, warnings)
  },
}

function closingEnd(text: string, at: number, end: number): number | undefined {
  const next = skipBlanks(text, at, end)
  if (text.startsWith(CLOSE, next)) return next + CLOSE.length
  if (text.startsWith(OPEN, next)) return next
  const onLine = skipBlanksOnLine(text, at, end)
  return onLine >= end || text[onLine] === '\n' ? at : undefined
}

class BarReader {
  at: number
  /** The text ended inside. */
  cut = false
  inexact = false
  /** A key that came a second time. */
  twice: string | undefined
  /** The outermost object, as far as it was read. */
  readonly partial: Record<string, unknown> = {}
  readonly #text: string
  readonly #end: number
  #depth = 0

  constructor(text: string, at: number, end: number) {
    this.#text = text
    this.at = at
    this.#end = end
  }

  object(): Record<string, unknown> | undefined {
    const made: Record<string, unknown> = this.#depth === 0 ? this.partial : {}
    if (++this.#depth > MOST_DEPTH) return undefined
    this.at++
    while (!this.#closes('}')) {
      KEY.lastIndex = this.at
      const key = KEY.exec(this.#text)
      if (!key || this.at + key[0].length > this.#end) return this.#endsInKey() ? this.#cutOff() : this.#fail()
      this.at += key[0].length
      const value = this.#value('}')
      if (value === undefined) return undefined
      const name = unescaped(key[1]) ?? key[2] ?? key[3] ?? key[4] ?? ''
      if (Object.hasOwn(made, name)) this.twice ??= name
      setMember(made, name, value)
      if (!this.#separated('}')) return this.#fail()
    }
    this.#depth--
    return made
  }

  #array(): unknown[] | undefined {
    const made: unknown[] = []
    if (++this.#depth > MOST_DEPTH) return undefined
    this.at++
    while (!this.#closes(']')) {
      const value = this.#value(']')
      if (value === undefined) return undefined
      made.push(value)
      if (!this.#separated(']')) return this.#fail()
    }
    this.#depth--
    return made
  }

  #value(closer: string): unknown {
    this.at = skipBlanks(this.#text, this.at, this.#end)
    if (this.at >= this.#end) return this.#fail()
    if (this.#text.startsWith(BAR_QUOTE, this.at)) return this.#barQuoted()
    switch (this.#text[this.at]) {
      case '{':
        return this.object()
      case '[':
        return this.#array()
      case '"':
        return this.#quoted()
      default:
        return this.#plain(closer)
    }
  }

  #barQuoted(): string | undefined {
    const start = this.at + BAR_QUOTE.length
    const close = this.#text.indexOf(BAR_QUOTE, start)
    if (close < 0 || close + BAR_QUOTE.length > this.#end) return this.#cutOff()
    this.at = close + BAR_QUOTE.length
    return this.#text.slice(start, close)
  }

  #quoted(): string | undefined {
    const start = this.at
    for (let i = start + 1; i < this.#end; i++) {
      if (this.#text[i] === '\\') i++
      else if (this.#text[i] === '"') {
        this.at = i + 1
        return unescaped(this.#text.slice(start + 1, i))
      }
    }
    return this.#cutOff()
  }

  /** Up to the next separator of its depth; JSON if it is some, else text. */
  #plain(closer: string): unknown {
    let inside = 0
    let i = this.at
    for (; i < this.#end; i++) {
      const character = this.#text[i] ?? ''
      if (inside === 0 && (character === ',' || character === closer)) break
      if ('{['.includes(character)) inside++
      else if (inside > 0 && '}]'.includes(character)) inside--
    }
    if (i >= this.#end) return this.#cutOff()
    const written = this.#text.slice(this.at, i).trim()
    this.at = i
    const parsed = parseStrictJson(written)
    if (parsed?.inexact) this.inexact = true
    return parsed ? parsed.value : written
  }

  #closes(closer: string): boolean {
    this.at = skipBlanks(this.#text, this.at, this.#end)
    if (this.#text[this.at] !== closer || this.at >= this.#end) return false
    this.at++
    return true
  }

  #separated(closer: string): boolean {
    this.at = skipBlanks(this.#text, this.at, this.#end)
    if (this.at >= this.#end) return false
    if (this.#text[this.at] === closer) return true
    if (this.#text[this.at] !== ',') return false
    this.at++
    while (this.at < this.#end && isBlankOrBreak(this.#text.charCodeAt(this.at))) this.at++
    return true
  }

  #endsInKey(): boolean {
    const rest = this.#text.slice(this.at, Math.min(this.#end, this.at + 300))
    return this.at + rest.length >= this.#end && !/[}\n]/.test(rest)
  }

  #fail(): undefined {
    if (this.at >= this.#end) this.cut = true
    return undefined
  }

  #cutOff(): undefined {
    this.at = this.#end
    this.cut = true
    return undefined
  }
}

function unescaped(inner: string | undefined): string | undefined {
  if (inner === undefined) return undefined
  const parsed = parseStrictJson(`"${inner.replace(/\n/g, '\\n').replace(/\r/g, '\\r').replace(/\t/g, '\\t')}"`)
  return typeof parsed?.value === 'string' ? parsed.value : inner
}
