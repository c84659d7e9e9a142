import { type SecretRule, secretRules } from './rules.ts'

export interface SecretRange {
  rule: string
  start: number
  end: number
}

/** Where secrets stand in a text, in order and without overlap. */
export function findSecrets(text: string, rules: SecretRule[] = secretRules): SecretRange[] {
  const found: SecretRange[] = []
  for (const { id, pattern } of rules) {
    for (const match of text.matchAll(pattern)) found.push({ rule: id, start: match.index, end: match.index + match[0].length })
  }
  found.sort((a, b) => a.start - b.start || b.end - a.end)
  const kept: SecretRange[] = []
  for (const range of found) {
    const last = kept.at(-1)
    if (!last || range.start >= last.end) kept.push(range)
    else if (range.end > last.end) last.end = range.end
  }
  return kept
}

/** The text with every secret replaced by the name of the rule that found it. */
export function redactText(text: string): string {
  // Every rule needs a run of at least eight characters of its own; most values are shorter or plain words.
  if (text.length < 8) return text
  let out = ''
  let from = 0
  for (const { rule, start, end } of findSecrets(text)) {
    out += `${text.slice(from, start)}[redacted:${rule}]`
    from = end
  }
  return from === 0 ? text : out + text.slice(from)
}

/** Redacts every string of a JSON value, keys included. */
export function redactJson<T>(value: T): T {
  return redactAny(value) as T
}

function redactAny(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value)
  if (Array.isArray(value)) return value.map(redactAny)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [redactText(key), redactAny(member)]))
}
