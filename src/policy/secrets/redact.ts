import { isSecretMember } from './assignment.ts'
import { findSecrets, type SecretRange } from './scan.ts'
import { NO_VAULT, type VaultValues } from './vault-values.ts'

export const REDACTED = '***REDACTED***'
const REDACTED_MESSAGE = '[redacted by safety layer]'

/** More rounds than any chain of neighbours needs; see below. */
const MOST_ROUNDS = 8

/** The text with every secret taken out. Doing it twice is doing it once. */
export function redact(text: string, vault: VaultValues = NO_VAULT): string {
  let clean = text
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const ranges = findSecrets(clean, vault)
    if (ranges.length === 0) return clean
    clean = replaced(clean, ranges)
    // Taking one secret out gives its neighbour a free edge, by which it may be known now.
  }
  return clean
}

function replaced(text: string, ranges: SecretRange[]): string {
  let out = ''
  let from = 0
  for (const { start, end } of ranges) {
    out += text.slice(from, start) + REDACTED
    from = end
  }
  return out + text.slice(from)
}

/** A message on its way out of this machine: with a secret in it, nothing of it leaves. */
export function outboundMessage(text: string, vault: VaultValues = NO_VAULT): string {
  return findSecrets(text, vault).length === 0 ? text : REDACTED_MESSAGE
}

export function redactText(text: string): string {
  return redact(text)
}

type RedactText = (text: string) => string

/** Redacts every string of a JSON value, keys included, and what stands under the key of a secret. */
export function redactJson<T>(value: T, clean: RedactText = redactText): T {
  return redactAny(value, clean) as T
}

function redactAny(value: unknown, clean: RedactText): unknown {
  if (typeof value === 'string') return clean(value)
  if (Array.isArray(value)) return value.map(item => redactAny(item, clean))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [clean(key), redactMember(key, member, clean)]))
}

function redactMember(key: string, member: unknown, clean: RedactText): unknown {
  return typeof member === 'string' && isSecretMember(key, member) ? REDACTED : redactAny(member, clean)
}
