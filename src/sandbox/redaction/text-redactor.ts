import type { Redactor } from '../../policy/secrets/stream.ts'

/** Takes secrets out of a text that comes in pieces. */
export type TextRedactor = Redactor

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

/** First one, then the other. */
export function chained(first: TextRedactor, second: TextRedactor): TextRedactor {
  return {
    push: piece => second.push(first.push(piece)),
    end: () => second.push(first.end()) + second.end(),
  }
}
