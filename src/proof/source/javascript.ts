import { lineComment, type Opener, type Reader, readQuote } from './reader.ts'

// What only JavaScript has: regular expressions, which look like divisions, and JSX, which looks like comparisons.

const BEFORE_EXPRESSION = new Set('(,=:[!&|?{;+-*%~^<')
const WORDS_BEFORE = new Set('return typeof case in of do else void delete throw new instanceof await yield default extends'.split(' '))

/** Whether a value may begin here, going by what stands before it. */
export function expectsValue(reader: Reader): boolean {
  const { text, last } = reader
  const char = text[last]
  if (char === undefined) return true
  const before = text[last - 1] ?? ''
  if (char === '>') return before === '='
  if ((char === '+' || char === '-') && before === char) return false
  if (char === '!') return !/[\w$)\]]/.test(before)
  if (BEFORE_EXPRESSION.has(char)) return true
  return /[\w$]/.test(char) && WORDS_BEFORE.has(wordEndingAt(text, last))
}

function wordEndingAt(text: string, end: number): string {
  const tail = text.slice(Math.max(0, end - 12), end + 1)
  const word = /[\w$]+$/.exec(tail)?.[0] ?? ''
  return word.length === tail.length && end > 12 ? '' : tail.at(-word.length - 1) === '.' ? '' : word
}

/** A regular expression, to its closing slash or to the end of its line. */
export const regex: Opener = (reader, at) => {
  if (!expectsValue(reader)) return -1
  const { text } = reader
  let inClass = false
  let i = at + 1
  for (; i < text.length && text[i] !== '\n'; i++) {
    const char = text[i]
    if (char === '\\' && text[i + 1] !== '\n' && text[i + 1] !== '\r') i++
    else if (char === '[') inClass = true
    else if (char === ']') inClass = false
    else if (char === '/' && !inClass) break
  }
  const end = Math.min(i, text.length)
  reader.mark('string', at + 1, end)
  const closed = text[end] === '/'
  reader.last = closed ? end : at
  return closed ? end + 1 : end
}

/** `<T,>` `<T extends` `<const T` `<T>(`: type parameters of an arrow function. */
const TYPE_PARAMETERS = /<(?:const\s+[A-Z]|[A-Za-z_$][\w$]{0,80}\s*(?:,|\s+extends\b)|(?:[A-Z]\d?|T[A-Z]\w{0,80})>\()/y
const TAG = /<(?:>|[A-Za-z_$])/y

interface Element {
  mode: 'tag' | 'children'
  /** Elements that are open around this place. */
  depth: number
  closing: boolean
}

export const jsx: Opener = (reader, at) => {
  TAG.lastIndex = TYPE_PARAMETERS.lastIndex = at
  // `<<` shifts.
  if (reader.text[at - 1] === '<' || !TAG.test(reader.text) || !expectsValue(reader) || TYPE_PARAMETERS.test(reader.text)) return -1
  return readElement(reader, at + 1, { mode: 'tag', depth: 0, closing: false })
}

function readElement(reader: Reader, from: number, element: Element): number {
  let at = from
  while (at < reader.text.length) {
    const step = element.mode === 'tag' ? readTag(reader, at, element) : readChildren(reader, at, element)
    at = step.at
    if (step.left) return at
  }
  return at
}

interface Step {
  at: number
  /** Code begins here: in a hole, or behind the element. */
  left: boolean
}

function readTag(reader: Reader, at: number, element: Element): Step {
  const { text } = reader
  const char = text[at]
  if (char === '"' || char === "'") {
    const end = text.indexOf(char, at + 1)
    reader.mark('string', at + 1, end < 0 ? text.length : end)
    return { at: end < 0 ? text.length : end + 1, left: false }
  }
  if (char === '{') return hole(reader, at, element)
  if (text.startsWith('/>', at)) return element.depth === 0 ? ended(reader, at + 1) : children(element, at + 2)
  if (char !== '>') return { at: at + 1, left: false }
  element.depth += element.closing ? -1 : 1
  return element.depth <= 0 ? ended(reader, at) : children(element, at + 1)
}

function readChildren(reader: Reader, at: number, element: Element): Step {
  const { text } = reader
  let i = at
  while (i < text.length && text[i] !== '{' && !(text[i] === '<' && /[/>A-Za-z_$]/.test(text[i + 1] ?? ''))) i++
  reader.mark('string', at, i)
  if (i >= text.length) return { at: i, left: false }
  if (text[i] === '{') return hole(reader, i, element)
  element.mode = 'tag'
  element.closing = text[i + 1] === '/'
  return { at: i + (element.closing ? 2 : 1), left: false }
}

function hole(reader: Reader, at: number, element: Element): Step {
  const resume = (again: Reader, next: number): number => readElement(again, next, element)
  reader.enter({ open: '{', nest: '{', close: '}' }, { oneLine: false, resume })
  reader.last = at
  return { at: at + 1, left: true }
}

function children(element: Element, at: number): Step {
  element.mode = 'children'
  return { at, left: false }
}

function ended(reader: Reader, at: number): Step {
  reader.last = at
  return { at: at + 1, left: true }
}

/** `#!` at the very start is a comment. */
export const hashBang: Opener = (reader, at) => (reader.text.startsWith('#!') ? lineComment(reader, at) : at)

export const template: Opener = (reader, at) => {
  reader.last = at
  return readQuote(reader, at + 1, { close: '`', escape: 'backslash', hole: { open: '${', nest: '{', close: '}' } })
}
