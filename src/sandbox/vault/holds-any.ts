import { redactValues } from '../redaction/value-redactor.ts'

/** Whether a content holds one of these values, in any of its forms. */
export function holdsAny(content: string | Uint8Array, values: readonly string[]): boolean {
  if (values.length === 0) return false
  let found = false
  const look = redactValues(values, () => (found = true))
  look.push(typeof content === 'string' ? content : Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('utf8'))
  look.end()
  return found
}
