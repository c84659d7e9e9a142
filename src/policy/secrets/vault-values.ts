/** Values of the vault, ready to be looked for in every form in which a program would print them. */
export interface VaultValues {
  needles: string[]
  /** Longest needle that can reach over a line end; 0 where none does. */
  longestOverLines: number
}

export const NO_VAULT: VaultValues = { needles: [], longestOverLines: 0 }
const LEAST_LENGTH = 8

export function vaultValues(values: Iterable<string>): VaultValues {
  const needles = new Set<string>()
  for (const value of values) {
    if (value.length < LEAST_LENGTH) continue
    for (const form of formsOf(value)) if (form.length >= LEAST_LENGTH) needles.add(form)
  }
  // Longest first, so that a value is not cut short by one that it contains.
  const sorted = [...needles].sort((a, b) => b.length - a.length)
  return { needles: sorted, longestOverLines: Math.max(0, ...sorted.filter(needle => needle.includes('\n')).map(needle => needle.length)) }
}

function formsOf(value: string): string[] {
  const bytes = Buffer.from(value, 'utf8')
  const hex = bytes.toString('hex')
  const percent = encodeURIComponent(toWellFormed(value))
  const everyByte = hex.replace(/../g, '%$&')
  const json = JSON.stringify(value).slice(1, -1)
  const forms = [
    value,
    json,
    JSON.stringify(json).slice(1, -1),
    hex,
    hex.toUpperCase(),
    percent,
    lowerPercent(percent),
    everyByte,
    everyByte.toUpperCase(),
  ]
  return [...forms, percent.replaceAll('%20', '+'), ...base64Forms(bytes)]
}

// Inside a longer text the value may begin at any of three places of a base64 group; the characters at its edges then depend on
// the neighbours, so they are left out.
function base64Forms(bytes: Buffer): string[] {
  const shifted = [0, 1, 2].map(shift => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    const tail = (bytes.length + shift) % 3 === 0 ? 0 : 1
    return encoded.slice(shift === 0 ? 0 : shift + 1, encoded.length - tail)
  })
  const whole = bytes.toString('base64')
  return [whole, whole.replace(/=+$/, ''), ...shifted].flatMap(form => [form, form.replaceAll('+', '-').replaceAll('/', '_')])
}

function lowerPercent(text: string): string {
  return text.replace(/%[0-9A-F]{2}/g, escape => escape.toLowerCase())
}

// A lone surrogate has no percent form and would throw.
function toWellFormed(value: string): string {
  return value.toWellFormed()
}
