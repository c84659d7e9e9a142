// What stands where a secret would, and is none.

const REFERENCE =
  /^(?:\$[A-Za-z_]\w*|\$\{.*|\$\(.*|\{\{.*|<.*|%[A-Za-z_]\w*%|process\.env\b.*|import\.meta\.env\b.*|os\.environ\b.*|os\.getenv\b.*|(?:std::)?env::.*|ENV\[.*|vault:\/\/[\w.-]+)$/s
const PLACEHOLDER = /example|changeme|placeholder|dummy|redacted|your/i

/** Whether a value is a reference, a placeholder or one character over and over. */
export function isExcused(value: string): boolean {
  return REFERENCE.test(value) || PLACEHOLDER.test(value) || isOneCharacter(value)
}

function isOneCharacter(value: string): boolean {
  for (let i = 1; i < value.length; i++) if (value.charCodeAt(i) !== value.charCodeAt(0)) return false
  return true
}

/** Shannon entropy in bits a character. */
export function entropy(value: string): number {
  const counts = new Map<number, number>()
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i)
    counts.set(code, (counts.get(code) ?? 0) + 1)
  }
  let bits = 0
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length)
  return bits
}
