export const MOST_BYTES = 65_536
export const MOST_SEGMENTS = 256
export const MOST_WORDS = 4096
export const MOST_LEVELS = 8
export const MOST_WRAPPERS = 8
export const MOST_VARIANTS = 256

/** Unclosed braces of one word, and here-documents, that the parser reads in reasonable time. */
const MOST_OPEN_BRACES = 32
const MOST_HEREDOCS = 64

// Zero-width and direction-changing characters show a person something else than what runs. U+200D joins emoji and may stay.
const INVISIBLE = /[\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/

interface Fault {
  reason: string
  /** The text must not even reach the parser, whose time would not be linear. */
  fatal?: boolean
}

/** What is wrong with a text before any grammar is looked at. */
export function textFault(text: string): Fault | null {
  if (text.length > MOST_BYTES || (text.length * 3 > MOST_BYTES && Buffer.byteLength(text) > MOST_BYTES)) {
    return { reason: `longer than ${MOST_BYTES} bytes`, fatal: true }
  }
  if (text.includes('\0')) return { reason: 'NUL character' }
  if (text.includes('\r')) return { reason: 'carriage return' }
  if (text.includes('\ufffd') || !text.isWellFormed()) return { reason: 'not UTF-8' }
  if (INVISIBLE.test(text)) return { reason: 'invisible character' }
  if (bracesPileUp(text)) return { reason: 'too many open braces', fatal: true }
  return null
}

function bracesPileUp(text: string): boolean {
  let open = 0
  let heredocs = 0
  for (let i = text.search(/[{<]/); i >= 0 && i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 123 && ++open > MOST_OPEN_BRACES) return true
    if (code === 125 && open > 0) open--
    if (code === 32 || code === 10 || code === 9) open = 0
    if (code === 60 && text.charCodeAt(i + 1) === 60 && ++heredocs > MOST_HEREDOCS * 2) return true
  }
  return false
}
