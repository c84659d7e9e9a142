/** Takes secrets out of a text that comes in pieces. What is returned is safe; what may still become part of a secret is held
 *  back until the next piece or the end. */
export interface TextRedactor {
  push(piece: string): string
  end(): string
}

export const REDACTED = '***REDACTED***'

/** How output is redacted: by shape, and by the values that a process was given. */
export interface Redaction {
  /** Settles when every value is known that can be. */
  ready: () => Promise<void>
  /** `onCanary` is told when a bait of the vault shows, which nothing may ever hold. */
  open: (values: readonly string[], onCanary?: () => void) => TextRedactor
  /** One whole text. */
  text: (text: string, values?: readonly string[]) => string
}

const MOST_HELD = 4096
const MOST_KEY_HELD = 16 << 10

/** Holds text back to the end of its line, so that a shape which was split over two pieces is still seen whole. */
export function redactLines(redact: (text: string) => string): TextRedactor {
  let held = ''
  return {
    push(piece) {
      held += piece
      const ready = readyLength(held)
      if (ready === 0) return ''
      const text = held.slice(0, ready)
      held = held.slice(ready)
      return redact(text)
    },
    end() {
      const text = held
      held = ''
      return text === '' ? '' : redact(text)
    },
  }
}

function readyLength(held: string): number {
  const key = openKey(held)
  if (key >= 0) return held.length - key > MOST_KEY_HELD ? held.length : key
  const line = held.lastIndexOf('\n') + 1
  return held.length - line > MOST_HELD ? held.length : line
}

// A private key runs over many lines and is only known for one by its first.
function openKey(held: string): number {
  const begin = held.lastIndexOf('-----BEGIN ')
  return begin >= 0 && !held.includes('-----END ', begin) ? begin : -1
}

/** First one, then the other. */
export function chained(first: TextRedactor, second: TextRedactor): TextRedactor {
  return {
    push: piece => second.push(first.push(piece)),
    end: () => second.push(first.end()) + second.end(),
  }
}
