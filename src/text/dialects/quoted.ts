// Strings in text that could not be read as what it seems to be. What stands inside quotes there was meant as an argument.
import type { Lookahead } from './budget.ts'

const QUOTE = /"""|'''|["']/y

/** Behind the string whose opening quote is at `at`; `end` where the text ends inside it. */
function behindString(text: string, at: number, end: number): number {
  QUOTE.lastIndex = at
  const quote = QUOTE.exec(text)?.[0] ?? '"'
  for (let i = at + quote.length; i < end; i++) {
    if (text[i] === '\\') i++
    else if (text.startsWith(quote, i)) return Math.min(i + quote.length, end)
  }
  return end
}

/** An apostrophe inside a word opens no string. */
function opensString(text: string, at: number): boolean {
  return text[at] === '"' || (text[at] === "'" && !/\w/.test(text[at - 1] ?? ''))
}

interface Searched {
  text: string
  end: number
  ahead: Lookahead
}

/** Behind the first of the closers that stands outside every string; undefined where none does, or nothing is left to look with. */
export function behindCloser({ text, end, ahead }: Searched, from: number, closers: readonly string[]): number | undefined {
  if (ahead.isSpent || closers.every(closer => ahead.find(closer, from) < 0)) return undefined
  for (let i = from; i < end; i++) {
    const closer = closers.find(one => text.startsWith(one, i) && i + one.length <= end)
    if (closer !== undefined) return i + closer.length
    if (opensString(text, i)) i = behindString(text, i, end) - 1
  }
  ahead.pay(end - from)
  return undefined
}

const CLOSING: Readonly<Record<string, string>> = { '[': ']', '(': ')', '{': '}' }
const BRACKET_OR_QUOTE = /["'()[\]{}]/g

/** Behind the bracket that closes the one at `at`; undefined where the text ends first, or another kind closes. */
export function behindBrackets(text: string, at: number, end: number): number | undefined {
  const open: string[] = []
  BRACKET_OR_QUOTE.lastIndex = at
  for (let found = BRACKET_OR_QUOTE.exec(text); found && found.index < end; found = BRACKET_OR_QUOTE.exec(text)) {
    const [character] = found
    const closing = CLOSING[character]
    if (closing !== undefined) open.push(closing)
    else if (character === '"' || character === "'") {
      if (opensString(text, found.index)) BRACKET_OR_QUOTE.lastIndex = behindString(text, found.index, end)
    } else if (open.pop() !== character) return undefined
    else if (open.length === 0) return found.index + 1
  }
  return undefined
}

/** Whether a position lies inside a string, reading from `from` on. */
export function isInString(text: string, from: number, position: number, end: number): boolean {
  for (let i = from; i < position; i++) {
    if (!opensString(text, i)) continue
    i = behindString(text, i, end) - 1
    if (i >= position) return true
  }
  return false
}
