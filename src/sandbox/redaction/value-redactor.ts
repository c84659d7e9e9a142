import { formsOf } from '../../policy/secrets/value-forms.ts'
import { REDACTED, type TextRedactor } from './text-redactor.ts'

interface Needle {
  text: string
  /** Length of the longest proper prefix that is also a suffix, by position (Knuth, Morris, Pratt). */
  fallback: Int32Array
}

interface Range {
  start: number
  end: number
}

interface Form {
  value: string
  needle: Needle
}

// The same list is looked for again and again; making its forms costs more than looking for them in a short text.
const made = new WeakMap<readonly string[], Form[]>()

function formsFor(values: readonly string[]): Form[] {
  const known = made.get(values)
  if (known) return known
  const forms = values.flatMap(value => formsOf(value).map(text => ({ value, needle: { text, fallback: fallbackOf(text) } })))
  made.set(values, forms)
  return forms
}

/** One whole text. */
export function withoutValues(text: string, values: readonly string[], onFound?: (value: string) => void): string {
  if (values.length === 0) return text
  const redactor = redactValues(values, onFound)
  return redactor.push(text) + redactor.end()
}

/** Replaces the given values in each of their forms, also where the text was broken into lines or pieces in their middle. The list
 *  must not change afterwards. */
export function redactValues(values: readonly string[], onFound?: (value: string) => void): TextRedactor {
  const forms = formsFor(values)
  if (forms.length === 0) return { push: piece => piece, end: () => '' }
  let held = ''
  const rangesIn = ({ plain, at }: Unbroken): Range[] =>
    forms.flatMap(({ value, needle }) => {
      const hits = occurrences(plain, needle.text)
      if (hits.length > 0) onFound?.(value)
      return hits.map(hit => ({ start: at[hit] ?? 0, end: (at[hit + needle.text.length - 1] ?? 0) + 1 }))
    })
  return {
    push(piece) {
      const text = held + piece
      const unbroken = withoutBreaks(text)
      const ranges = rangesIn(unbroken)
      const open = Math.max(...forms.map(({ needle }) => openPrefix(unbroken.plain, needle)))
      const pending = open === 0 ? text.length : (unbroken.at[unbroken.plain.length - open] ?? text.length)
      // A value that may turn out to be the beginning of a longer one is held back whole.
      const from = Math.min(pending, ...ranges.filter(({ start, end }) => start < pending && end > pending).map(({ start }) => start))
      held = text.slice(from)
      return replaceRanges(text.slice(0, from), ranges)
    },
    end() {
      const text = held
      held = ''
      return replaceRanges(text, rangesIn(withoutBreaks(text)))
    },
  }
}

interface Unbroken {
  plain: string
  /** Where each of its characters stands in the text. */
  at: number[]
}

function withoutBreaks(text: string): Unbroken {
  const at: number[] = []
  let plain = ''
  let from = 0
  for (let i = 0; i <= text.length; i++) {
    const code = text.charCodeAt(i)
    if (i < text.length && code !== 10 && code !== 13) at.push(i)
    else {
      plain += text.slice(from, i)
      from = i + 1
    }
  }
  return { plain, at }
}

function occurrences(text: string, wanted: string): number[] {
  const found: number[] = []
  for (let i = text.indexOf(wanted); i >= 0; i = text.indexOf(wanted, i + 1)) found.push(i)
  return found
}

function replaceRanges(text: string, ranges: Range[]): string {
  let out = ''
  let from = 0
  for (const { start, end } of ranges.sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (start >= text.length) break
    if (start >= from) out += text.slice(from, start) + REDACTED
    from = Math.max(from, end)
  }
  return from === 0 ? text : out + text.slice(from)
}

/** How much of the needle's beginning stands at the end of the text. */
function openPrefix(text: string, { text: needle, fallback }: Needle): number {
  let matched = 0
  for (let i = Math.max(0, text.length - needle.length + 1); i < text.length; i++) {
    while (matched > 0 && text[i] !== needle[matched]) matched = fallback[matched - 1] ?? 0
    if (text[i] === needle[matched]) matched++
  }
  return matched
}

function fallbackOf(text: string): Int32Array {
  const table = new Int32Array(text.length)
  for (let i = 1, length = 0; i < text.length; i++) {
    while (length > 0 && text[i] !== text[length]) length = table[length - 1] ?? 0
    if (text[i] === text[length]) length++
    table[i] = length
  }
  return table
}
