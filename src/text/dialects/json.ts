// JSON in a model's text: where a value ends, what it is, and the few repairs that never change what was meant.
import { parseJson } from '../../kernel/json.ts'
import { isBlankOrBreak, skipBlanks } from '../blanks.ts'
import { MOST_DEPTH } from './limits.ts'

/** `cut`: the text ended inside the value; `missing` closes it. */
type JsonExtent = { kind: 'whole'; end: number } | { kind: 'cut'; end: number; missing: string } | { kind: 'broken'; end: number }

const BACKSLASH = 92
const DOUBLE = 34
const SINGLE = 39
const COLON = 58
const OPENERS = { brace: 123, bracket: 91 }
const CLOSING = { brace: 125, bracket: 93 }
const CLOSERS: Record<number, string> = { [OPENERS.brace]: '}', [OPENERS.bracket]: ']' }
/** After these a single quote begins a string; elsewhere it is an apostrophe in broken text. */
const BEFORE_VALUE = '{[,:'

const opens = (code: number): boolean => code === OPENERS.brace || code === OPENERS.bracket
const closes = (code: number): boolean => code === CLOSING.brace || code === CLOSING.bracket

/** Finds the end of the object or array that begins at `at`. Knows strings and depth, nothing else. */
export function scanJson(text: string, at: number, end = text.length): JsonExtent {
  const open: string[] = []
  let before = 0
  for (let i = at; i < end; i++) {
    const code = text.charCodeAt(i)
    if (code === DOUBLE || (code === SINGLE && BEFORE_VALUE.includes(String.fromCharCode(before)))) {
      const close = stringEnd(text, i, code, end)
      if (close < 0) return cutInString(text, code, open, end)
      i = close
    } else if (opens(code)) {
      open.push(CLOSERS[code] ?? '')
      if (open.length > MOST_DEPTH) return { kind: 'broken', end: i }
    } else if (closes(code)) {
      if (open.pop() !== text[i]) return { kind: 'broken', end: i }
      if (open.length === 0) return { kind: 'whole', end: i + 1 }
    }
    if (!isBlankOrBreak(code)) before = code
  }
  return { kind: 'cut', end, missing: open.reverse().join('') }
}

function stringEnd(text: string, open: number, quote: number, end: number): number {
  for (let i = open + 1; i < end; i++) {
    const code = text.charCodeAt(i)
    if (code === BACKSLASH) i++
    else if (code === quote) return i
  }
  return -1
}

function cutInString(text: string, quote: number, open: string[], end: number): JsonExtent {
  let slashes = 0
  while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++
  const escaped = slashes % 2 === 1 ? '\\' : ''
  return { kind: 'cut', end, missing: `${escaped}${String.fromCharCode(quote)}${open.reverse().join('')}` }
}

interface ParsedJson {
  value: unknown
  /** Integers too great for a number stayed strings. */
  inexact: boolean
  repaired: boolean
  /** A key that one of its objects has twice: one of the values is lost. */
  twice?: string
}

const BEGINS_VALUE = /[-\d"{[tfn]/
const BEGINS_MEMBER = /["}]/
const BEGINS_ITEM = /[-\d"{[tfn\]]/

/** Whether the first characters can begin a value. A failed parse costs a hundred times as much as this look. */
function mayBeJson(text: string, at: number): boolean {
  const first = text[at] ?? ''
  const second = text[skipBlanks(text, at + 1)] ?? ''
  if (first === '{') return BEGINS_MEMBER.test(second)
  return first === '[' ? BEGINS_ITEM.test(second) : BEGINS_VALUE.test(first)
}

export function parseStrictJson(text: string): ParsedJson | undefined {
  const at = skipBlanks(text, 0)
  if (!mayBeJson(text, at) || (CLOSERS[text.charCodeAt(at)] !== undefined && scanJson(text, at).kind === 'broken')) return undefined
  const value = parseJson(text)
  if (value === undefined) return undefined
  return /\d{16}|\de/i.test(text) ? parseExact(text) : { value, inexact: false, repaired: false }
}

// The reviver's third argument holds the digits as written; the library types do not know it yet.
type Reviver = (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown

function parseExact(text: string): ParsedJson {
  let inexact = false
  const keep: Reviver = (_key, value, context) => {
    if (typeof value !== 'number' || context?.source === undefined) return value
    const lost = !Number.isFinite(value) || (!Number.isSafeInteger(value) && /^-?\d+$/.test(context.source))
    if (!lost) return value
    inexact = true
    return context.source
  }
  return { value: JSON.parse(text, keep) as unknown, inexact, repaired: false }
}

/** Rewrites strings and the text between them apart from each other. */
function rewrite(text: string, string: (token: string) => string, between: (part: string) => string): string {
  let written = ''
  let from = 0
  let before = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === DOUBLE || (code === SINGLE && BEFORE_VALUE.includes(String.fromCharCode(before)))) {
      const close = stringEnd(text, i, code, text.length)
      if (close < 0) break
      written += between(text.slice(from, i)) + string(text.slice(i, close + 1))
      i = close
      from = close + 1
    }
    if (!isBlankOrBreak(code)) before = code
  }
  return written + between(text.slice(from))
}

const same = (part: string): string => part
const RAW: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Each is tried on top of those before it, until the text parses. */
const repairs: ((text: string) => string)[] = [
  text => rewrite(text, token => token.replace(/[\n\r\t]/g, raw => RAW[raw] ?? raw), same),
  text => rewrite(text, same, part => part.replace(/,(?=\s*[}\]])/g, '')),
  text =>
    rewrite(text, same, part =>
      part
        .replace(/\bTrue\b/g, 'true')
        .replace(/\bFalse\b/g, 'false')
        .replace(/\bNone\b/g, 'null'),
    ),
  text => rewrite(text, token => (token.startsWith("'") ? doubleQuoted(token) : token), same),
  text => rewrite(text, same, part => part.replace(/([{,]\s*)([A-Za-z_$][\w$-]*)(?=\s*:)/g, '$1"$2"')),
]

export function parseRepairedJson(text: string): ParsedJson | undefined {
  const strict = parseStrictJson(text)
  if (strict) return { ...strict, ...keyTwice(text) }
  let repaired = text
  for (const repair of repairs) {
    const before = repaired
    repaired = repair(before)
    const parsed = repaired === before ? undefined : parseStrictJson(repaired)
    if (parsed) return { ...parsed, ...keyTwice(repaired), repaired: true }
  }
  return undefined
}

/** Walks JSON that is known to be valid. */
function keyTwice(text: string): { twice?: string } {
  const open: Set<string>[] = []
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (opens(code)) open.push(new Set())
    else if (closes(code)) open.pop()
    else if (code === DOUBLE) {
      const close = stringEnd(text, i, DOUBLE, text.length)
      const keys = open.at(-1)
      if (keys && text.charCodeAt(skipBlanks(text, close + 1, text.length)) === COLON) {
        const key = parseJson(text.slice(i, close + 1))
        if (typeof key !== 'string') return {}
        if (keys.has(key)) return { twice: key }
        keys.add(key)
      }
      i = close
    }
  }
  return {}
}

function doubleQuoted(token: string): string {
  const inner = token.slice(1, -1).replace(/\\[\s\S]|"/g, part => (part === "\\'" ? "'" : part === '"' ? '\\"' : part))
  return `"${inner}"`
}
