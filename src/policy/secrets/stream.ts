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
/** Nothing that long is a secret; holding more would let one line fill the memory. */
const MOST_HELD = 256 * 1024

export function createRedactor(redactWhole: (text: string) => string = redact): Redactor {
  let held = ''
  // Looking again at every piece of a long line would cost the square of its length.
  let lookAt = 0
  return {
    push: chunk => {
      held += chunk
      const least = chunk.includes('\n') ? lookAt : Math.max(lookAt, 2 * TAIL)
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

/** The furthest place at which no secret, nor what gives one away, stands on both sides. */
function safeCut(text: string): number {
  if (text.length > MOST_HELD) return text.length
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
  for (let i = at; i > lineStart; i--) if (!/\w/.test(text[i - 1] ?? '')) return i
  return lineStart
}

function isBlank(char: string | undefined): boolean {
  return char === ' ' || char === '\t'
}

function lineStartBefore(text: string, at: number): number {
  return at <= 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1
}
