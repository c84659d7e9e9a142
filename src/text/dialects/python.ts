// Calls in Python's syntax, literals only. Nothing is evaluated; anything that is not a literal makes the answer undefined.
import { isBlankOrBreak } from '../blanks.ts'
import { setMember } from './finish-call.ts'
import { MOST_DEPTH } from './limits.ts'

export interface PythonCall {
  name: string
  named: { name: string; value: unknown }[]
  positional: unknown[]
  span: [number, number]
  /** An integer too great for a number stayed text. */
  inexact: boolean
}

const NAME = /[A-Za-z_][\w.-]*/y
const KEYWORD = /([A-Za-z_]\w*)\s*=(?!=)/y
const NUMBER = /[-+]?(?:0[xX][\da-fA-F]+|(?:\d[\d_]*\.?[\d_]*|\.\d+)(?:[eE][-+]?\d+)?)(?![\w.])/y
/** A hexadecimal `e` is a digit. */
const FLOAT = /^(?!-?0[xX]).*[.eE]/
const WORD = /(?:True|False|None)(?!\w)/y
const STRING = /([rR]?)("""|'''|"|')/y
const ESCAPE = /\\(?:\r?\n|[abfnrtv\\'"]|[0-7]{1,3}|x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8})/g
const WORDS: Record<string, unknown> = { True: true, False: false, None: null }
const SIMPLE: Record<string, string> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', '\\': '\\', "'": "'", '"': '"' }

/** Reads from a position on; `at` moves. Every method answers undefined where the text is something else. */
export class PythonReader {
  at: number
  readonly #text: string
  readonly #end: number
  #depth = 0
  #inexact = false

  constructor(text: string, at: number, end: number) {
    this.#text = text
    this.at = at
    this.#end = end
  }

  /** `[f(…), g(…)]` */
  callList(): PythonCall[] | undefined {
    if (!this.#take('[')) return undefined
    const calls: PythonCall[] = []
    do {
      this.blanks()
      if (calls.length > 0 && this.#peek() === ']') break
      const call = this.call()
      if (!call) return undefined
      calls.push(call)
      this.blanks()
    } while (this.#take(','))
    return this.#take(']') ? calls : undefined
  }

  /** `f(…)` */
  call(): PythonCall | undefined {
    const start = this.at
    const name = this.#match(NAME)?.[0]
    if (name === undefined) return undefined
    this.#lineBlanks()
    if (!this.#take('(')) return undefined
    this.#inexact = false
    const named: { name: string; value: unknown }[] = []
    const positional: unknown[] = []
    this.blanks()
    while (!this.#take(')')) {
      const keyword = this.#match(KEYWORD)?.[1]
      this.blanks()
      const value = this.#value()
      if (!value) return undefined
      if (keyword !== undefined) named.push({ name: keyword, value: value.value })
      else if (named.length === 0) positional.push(value.value)
      else return undefined
      this.blanks()
      if (!this.#take(',') && this.#peek() !== ')') return undefined
      this.blanks()
    }
    return { name, named, positional, span: [start, this.at], inexact: this.#inexact }
  }

  blanks(): void {
    while (this.at < this.#end && isBlankOrBreak(this.#text.charCodeAt(this.at))) this.at++
  }

  take(word: string): boolean {
    return this.#take(word)
  }

  #lineBlanks(): void {
    while (this.at < this.#end && this.#text[this.at] === ' ') this.at++
  }

  #peek(): string {
    return this.at < this.#end ? (this.#text[this.at] ?? '') : ''
  }

  #take(word: string): boolean {
    if (!this.#text.startsWith(word, this.at) || this.at + word.length > this.#end) return false
    this.at += word.length
    return true
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.#text)
    if (!found || this.at + found[0].length > this.#end) return undefined
    this.at += found[0].length
    return found
  }

  #value(): { value: unknown } | undefined {
    if (++this.#depth > MOST_DEPTH) return undefined
    const value = this.#anyValue()
    this.#depth--
    return value
  }

  #anyValue(): { value: unknown } | undefined {
    switch (this.#peek()) {
      case '[':
        return this.#items('[', ']')
      case '(':
        return this.#items('(', ')')
      case '{':
        return this.#braces()
      default:
        return this.#string() ?? this.#number() ?? this.#word()
    }
  }

  #word(): { value: unknown } | undefined {
    const word = this.#match(WORD)?.[0]
    return word === undefined ? undefined : { value: WORDS[word] }
  }

  #number(): { value: unknown } | undefined {
    const written = this.#match(NUMBER)?.[0]
    if (written === undefined) return undefined
    const digits = written.replaceAll('_', '').replace(/^\+/, '')
    const value = digits.startsWith('-0x') || digits.startsWith('-0X') ? -Number(digits.slice(1)) : Number(digits)
    const kept = Number.isFinite(value) && (Number.isSafeInteger(value) || FLOAT.test(digits))
    if (!kept) this.#inexact = true
    return { value: kept ? value : digits }
  }

  #string(): { value: string } | undefined {
    const start = this.at
    const opened = this.#match(STRING)
    if (!opened) return undefined
    const [, raw, quote = '"'] = opened
    for (let i = this.at; i < this.#end; i++) {
      if (this.#text[i] === '\\') i++
      else if (this.#text.startsWith(quote, i) && i + quote.length <= this.#end) {
        const inner = this.#text.slice(this.at, i)
        this.at = i + quote.length
        return { value: raw ? inner : inner.replace(ESCAPE, unescape) }
      }
    }
    this.at = start
    return undefined
  }

  #items(open: string, close: string): { value: unknown } | undefined {
    this.#take(open)
    const items: unknown[] = []
    let commas = 0
    this.blanks()
    while (!this.#take(close)) {
      const value = this.#value()
      if (!value) return undefined
      items.push(value.value)
      this.blanks()
      if (this.#take(',')) commas++
      else if (this.#peek() !== close) return undefined
      this.blanks()
    }
    return { value: open === '(' && items.length === 1 && commas === 0 ? items[0] : items }
  }

  /** A dict, or a set, which becomes an array. */
  #braces(): { value: unknown } | undefined {
    this.#take('{')
    const entries: { key: unknown; value: unknown }[] = []
    const items: unknown[] = []
    this.blanks()
    while (!this.#take('}')) {
      const key = this.#value()
      if (!key) return undefined
      this.blanks()
      if (this.#take(':')) {
        this.blanks()
        const value = this.#value()
        if (!value || typeof key.value === 'object') return undefined
        entries.push({ key: key.value, value: value.value })
      } else items.push(key.value)
      this.blanks()
      if (!this.#take(',') && this.#peek() !== '}') return undefined
      this.blanks()
    }
    if (entries.length > 0 && items.length > 0) return undefined
    return { value: items.length > 0 ? items : dictionary(entries) }
  }
}

function dictionary(entries: { key: unknown; value: unknown }[]): Record<string, unknown> {
  const made: Record<string, unknown> = {}
  for (const { key, value } of entries) setMember(made, String(key), value)
  return made
}

/** Only escapes that Python knows come here; the others stay as they were written. */
function unescape(escape: string): string {
  const kind = escape[1] ?? ''
  if (kind === '\n' || kind === '\r') return ''
  if (SIMPLE[kind] !== undefined) return SIMPLE[kind]
  if (kind >= '0' && kind <= '7') return String.fromCharCode(Number.parseInt(escape.slice(1), 8))
  const code = Number.parseInt(escape.slice(2), 16)
  return code <= 0x10ffff ? String.fromCodePoint(code) : escape
}
