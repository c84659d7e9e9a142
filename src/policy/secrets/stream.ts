import { redact } from './redact.ts'
import { findSecrets } from './scan.ts'

// What is given out ends at a line end, because nothing but a private key reaches over one. Of a line
// that does not end, the tail is held back; it is cut at a blank, where no word gets a free edge that it did not have.

/** Takes a text in pieces and gives back what is certain by now. All that was given back, joined, is the redacted text,
 *  however it was cut. */
export interface Redactor {
  push(chunk: string): string
  /** What was still held back. The redactor begins anew afterwards. */
  end(): string
}

/** The longest secret on one line, with what gives it away. */
const TAIL = 4096 + 256
/** A line without any blank is cut where it can be from here on. */
const LONG_LINE = 64 * 1024
/** Holding more would let one line fill the memory: from here on a word is cut in its middle. */
const MOST_HELD = 256 * 1024

export function createRedactor(redactWhole: (text: string) => string = redact): Redactor {
  let held = ''
  // Looking again at every piece of a long line would cost the square of its length.
  let lookAt = 0
  return {
    push: chunk => {
      const endsLine = chunk.includes('\n')
      // What was looked at in vain had no end of a line, and now has one; or it is a key, of which every line has one.
      if (endsLine && !held.includes('\n')) lookAt = 0
      held += chunk
      const least = endsLine ? lookAt : Math.max(lookAt, 2 * TAIL)
      if (held.length < least) return ''
      const cut = safeCut(held)
      lookAt = cut > 0 ? 0 : 2 * held.length
      const out = redactWhole(held.slice(0, cut))
      held = held.slice(cut)
      return out
    },
    end: () => {
      const out = redactWhole(held)
      held = ''
      lookAt = 0
      return out
    },
  }
}

function safeCut(text: string): number {
  const cut = quietCut(text)
  // Nothing that long is a secret.
  return cut === 0 && text.length > MOST_HELD ? text.length : cut
}

/** The furthest place at which no secret, nor what gives one away, stands on both sides. */
function quietCut(text: string): number {
  let cut = text.lastIndexOf('\n') + 1
  const isLongLine = text.length - cut > 2 * TAIL
  if (isLongLine) cut = boundaryBefore(text, text.length - TAIL)
  const mayReachOver = isLongLine || text.includes('-----BEGIN ')
  if (cut === 0 || !mayReachOver) return cut
  for (const { from, end } of findSecrets(text).reverse()) {
    // One that reaches to the end may go on.
    if (from < cut && (cut < end || end === text.length))
      cut = Math.max(lineStartBefore(text, from), isLongLine ? boundaryBefore(text, from) : 0)
  }
  return cut
}

function boundaryBefore(text: string, at: number): number {
  const lineStart = lineStartBefore(text, at)
  for (let i = at; i > lineStart; i--) if (isBlank(text[i]) && !isBlank(text[i - 1])) return i
  if (text.length < LONG_LINE) return lineStart
  for (let i = at; i > lineStart; i--) if (!isWord(text.charCodeAt(i - 1))) return i
  return text.length > MOST_HELD ? at : lineStart
}

// As \w has it. By code: a word of any length is gone through.
function isWord(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95
}

function isBlank(char: string | undefined): boolean {
  return char === ' ' || char === '\t'
}

function lineStartBefore(text: string, at: number): number {
  return at <= 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1
}
