import { GRAMMARS } from './grammars.ts'
import type { Language } from './language.ts'
import { readSpans, type Span } from './reader.ts'

/** Comments and the contents of strings replaced by blanks: the same length, the same line breaks. Linear, never throws. */
export function blank(text: string, language: Language): string {
  return without(text, spansOf(text, language))
}

export function spansOf(text: string, language: Language): Span[] {
  return readSpans(text, GRAMMARS[language])
}

/** The text with these parts blanked. */
export function without(text: string, spans: readonly Pick<Span, 'start' | 'end'>[]): string {
  let result = ''
  let at = 0
  for (const { start, end } of spans) {
    result += text.slice(at, start) + blanks(text.slice(start, end))
    at = end
  }
  return result + text.slice(at)
}

/** The text with everything but these parts blanked. */
export function only(text: string, spans: readonly Pick<Span, 'start' | 'end'>[]): string {
  let result = ''
  let at = 0
  for (const { start, end } of spans) {
    result += blanks(text.slice(at, start)) + text.slice(start, end)
    at = end
  }
  return result + blanks(text.slice(at))
}

const blanks = (text: string): string => text.replace(/[^\r\n]/g, ' ')
