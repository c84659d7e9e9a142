import { chained, type Redaction, redactLines } from './text-redactor.ts'
import { redactValues } from './value-redactor.ts'

export interface RedactionOptions {
  /** Takes out what looks like a secret by its shape. Pure; the same text again gives the same text. */
  byShape: (text: string) => string
  /** Values that are never to be seen, whoever prints them; told by `onCanary` when one is. */
  canaries?: () => readonly string[]
  onCanary?: () => void
}

export function createRedaction({ byShape, canaries = () => [], onCanary }: RedactionOptions): Redaction {
  const open: Redaction['open'] = (values, onSeen) => {
    const baits = canaries()
    const found = (value: string): void => {
      if (!baits.includes(value)) return
      onCanary?.()
      onSeen?.()
    }
    return chained(redactValues([...values, ...baits], found), redactLines(byShape))
  }
  return {
    open,
    text: (text, values = []) => {
      const redactor = open(values)
      return redactor.push(text) + redactor.end()
    },
  }
}
