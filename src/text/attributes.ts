// The attributes of one opening tag, as models write them: quotes may be missing, doubled or forgotten, values may hold `>`
// and line breaks, and no entity but the quote's own is decoded, because most values are code.
import { isBlankOrBreak, skipBlanks } from './blanks.ts'
import { forwardSearch } from './forward-search.ts'

export interface Attribute {
  /** In lower case. */
  name: string
  /** `true` where only the name was written. */
  value: string | true
}

type AttributeWarningCode = 'unbalanced_quote' | 'duplicate_argument'

interface AttributeWarning {
  code: AttributeWarningCode
  name: string
  at: number
}

/** `open`: ends in `>`; `self_closing`: ends in `/>`; `cut`: the text ended first; `broken`: another tag begins inside it. */
type TagEnding = 'open' | 'self_closing' | 'cut' | 'broken'

export interface AttributeList {
  attributes: Attribute[]
  warnings: AttributeWarning[]
  ending: TagEnding
  /** Just behind the `>`, or where reading stopped. */
  end: number
}

interface AttributeRules {
  end?: number
  /** The next line at or after a position that begins with a call; a quoted value never reaches over it. -1: none. */
  nextCallLine?: (from: number) => number
  /** Whether a call begins at a position; a value without quotes never reaches over it. */
  isCall?: (at: number) => boolean
}

/** No tag has more; one that goes on is no tag. */
const MOST_ATTRIBUTES = 200

const SLASH = 47
const LESS = 60
const EQUALS = 61
const GREATER = 62
const ENTITIES = { '"': '&quot;', "'": '&apos;' } as const
type Quote = keyof typeof ENTITIES

/** Reads the attributes that begin at `at`, just behind the tag's name. */
export function readAttributes(text: string, at: number, rules: AttributeRules = {}): AttributeList {
  return attributeReader(text, rules)(at)
}

/** For many tags of one text, in their order: what lies ahead is looked up once. */
export function attributeReader(text: string, rules: AttributeRules = {}): (at: number) => AttributeList {
  const end = rules.end ?? text.length
  const ahead = {
    '"': forwardSearch(from => closingQuote(text, '"', from, end)),
    "'": forwardSearch(from => closingQuote(text, "'", from, end)),
    greater: forwardSearch(from => indexBefore(text, '>', from, end)),
    line: forwardSearch(from => indexBefore(text, '\n', from, end)),
    call: rules.nextCallLine ?? (() => -1),
    isCall: rules.isCall ?? (() => false),
  }
  return start => {
    const list: AttributeList = { attributes: [], warnings: [], ending: 'cut', end }
    const seen = new Set<string>()
    let at = start
    while (true) {
      at = skipBlanks(text, at, end)
      if (at >= end) return list
      const code = text.charCodeAt(at)
      if (code === GREATER) return { ...list, ending: 'open', end: at + 1 }
      if (code === SLASH && text.charCodeAt(at + 1) === GREATER) return { ...list, ending: 'self_closing', end: at + 2 }
      if (list.attributes.length + list.warnings.length >= MOST_ATTRIBUTES) return { ...list, ending: 'broken', end: at }
      const nameEnd = endOfName(text, at, end)
      if (text.charCodeAt(nameEnd) === LESS) return { ...list, ending: 'broken', end: nameEnd }
      if (nameEnd === at) {
        at++
        continue
      }
      const name = text.slice(at, nameEnd).toLowerCase()
      const value = readValue(text, nameEnd, end, ahead)
      if (value.broken && value.end >= end) return list
      if (value.unbalanced) list.warnings.push({ code: 'unbalanced_quote', name, at })
      if (value.broken) return { ...list, ending: 'broken', end: value.end }
      if (seen.has(name)) list.warnings.push({ code: 'duplicate_argument', name, at })
      else list.attributes.push(attributeOf(name, value))
      seen.add(name)
      at = value.end
    }
  }
}

interface Ahead {
  '"': (from: number) => number
  "'": (from: number) => number
  greater: (from: number) => number
  line: (from: number) => number
  call: (from: number) => number
  isCall: (at: number) => boolean
}

interface Value {
  value: string | true
  end: number
  quote?: Quote
  unbalanced?: true
  /** The value has no end that could be trusted. */
  broken?: true
}

/** Its entities are decoded when it is asked for: tags may lie inside the values of others, and most are never read. */
function attributeOf(name: string, { value, quote }: Value): Attribute {
  if (value === true || quote === undefined) return { name, value }
  return {
    name,
    get value() {
      return value.replaceAll(ENTITIES[quote], quote)
    },
  }
}

function endOfName(text: string, at: number, end: number): number {
  let i = at
  for (; i < end; i++) {
    const code = text.charCodeAt(i)
    if (isBlankOrBreak(code) || code === EQUALS || code === GREATER || code === SLASH || code === LESS) break
  }
  return i
}

function readValue(text: string, nameEnd: number, end: number, ahead: Ahead): Value {
  const equals = skipBlanks(text, nameEnd, end)
  if (text.charCodeAt(equals) !== EQUALS || equals >= end) return { value: true, end: nameEnd }
  const start = skipBlanks(text, equals + 1, end)
  const quote = text[start]
  if (start < end && (quote === '"' || quote === "'")) return readQuoted(text, start, quote, end, ahead)
  let i = start
  for (; i < end && !isBlankOrBreak(text.charCodeAt(i)) && text.charCodeAt(i) !== GREATER; i++)
    if (text.charCodeAt(i) === LESS && ahead.isCall(i)) return { value: text.slice(start, i), end: i, broken: true }
  // `<get path=a.js/>` is a self-closing tag, not a path that ends in a slash.
  if (i > start && i < end && text.charCodeAt(i) === GREATER && text.charCodeAt(i - 1) === SLASH) i--
  return { value: text.slice(start, i), end: i }
}

function readQuoted(text: string, open: number, quote: Quote, end: number, ahead: Ahead): Value {
  const start = open + 1
  const close = ahead[quote](start)
  const call = ahead.call(start)
  if (close >= 0 && close < end && (call < 0 || call > close)) {
    return { value: text.slice(start, close), end: close + 1, quote }
  }
  const line = ahead.line(start)
  const greater = ahead.greater(start)
  const stop = line < 0 || line > end ? end : line
  if (greater < 0 || greater >= stop) return { value: text.slice(start, stop), end: stop, unbalanced: true, broken: true }
  const valueEnd = greater > start && text.charCodeAt(greater - 1) === SLASH ? greater - 1 : greater
  return { value: text.slice(start, valueEnd), end: valueEnd, unbalanced: true }
}

/** A search that stops at the end: a part of a text costs no copy. */
function indexBefore(text: string, needle: string, from: number, end: number): number {
  const found = text.slice(from, end).indexOf(needle)
  return found < 0 ? -1 : from + found
}

/** A quote closes only where something can follow it in a tag, so that quotes inside code do not end the value. */
function closingQuote(text: string, quote: string, from: number, end: number): number {
  for (let i = indexBefore(text, quote, from, end); i >= 0; i = indexBefore(text, quote, i + 1, end)) {
    const next = text.charCodeAt(i + 1)
    if (i + 1 >= end || isBlankOrBreak(next) || next === SLASH || next === GREATER) return i
  }
  return -1
}
