/** The texts that one brace expression stands for, or null when there are too many or it is none. Quotes inside are kept. */
function expandBrace(text: string, most: number): string[] | null {
  const inner = text.slice(1, -1)
  const alternatives = splitAtCommas(inner)
  if (alternatives.length === 1) return sequence(inner, most)
  const all: string[] = []
  for (const alternative of alternatives) {
    const expanded = expandBraces(alternative, most)
    if (expanded === null || all.length + expanded.length > most) return null
    all.push(...expanded)
  }
  return all
}

/** Every text that a word with brace expressions stands for. */
export function expandBraces(text: string, most: number): string[] | null {
  let all = ['']
  let plainFrom = 0
  for (let i = 0; i < text.length; i++) {
    const skipped = quotedEnd(text, i)
    if (skipped > i) {
      i = skipped - 1
      continue
    }
    if (text[i] !== '{' || text[i - 1] === '$') continue
    const end = closingBrace(text, i)
    if (end < 0) continue
    const expanded = expandBrace(text.slice(i, end + 1), most)
    if (expanded === null) continue
    const before = text.slice(plainFrom, i)
    if (all.length * expanded.length > most) return null
    all = all.flatMap(start => expanded.map(one => start + before + one))
    plainFrom = end + 1
    i = end
  }
  const tail = text.slice(plainFrom)
  return all.map(start => start + tail)
}

function splitAtCommas(inner: string): string[] {
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (let i = 0; i < inner.length; i++) {
    const skipped = quotedEnd(inner, i)
    if (skipped > i) {
      i = skipped - 1
      continue
    }
    if (inner[i] === '{') depth++
    else if (inner[i] === '}') depth--
    else if (inner[i] === ',' && depth === 0) {
      parts.push(inner.slice(from, i))
      from = i + 1
    }
  }
  return [...parts, inner.slice(from)]
}

function closingBrace(text: string, open: number): number {
  let depth = 0
  for (let i = open; i < text.length; i++) {
    const skipped = quotedEnd(text, i)
    if (skipped > i) {
      i = skipped - 1
      continue
    }
    if (text[i] === '{') depth++
    else if (text[i] === '}' && --depth === 0) return i
  }
  return -1
}

/** The offset behind what is quoted at `at`, or `at` when nothing is. */
function quotedEnd(text: string, at: number): number {
  const char = text[at]
  if (char === '\\') return at + 2
  if (char !== "'" && char !== '"') return at
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === '\\' && char === '"') i++
    else if (text[i] === char) return i + 1
  }
  return text.length
}

const NUMBERS = /^(-?\d{1,9})\.\.(-?\d{1,9})(?:\.\.(-?\d{1,9}))?$/
const LETTERS = /^([A-Za-z])\.\.([A-Za-z])(?:\.\.(-?\d{1,9}))?$/

function sequence(inner: string, most: number): string[] | null {
  const numbers = NUMBERS.exec(inner)
  const letters = numbers ? null : LETTERS.exec(inner)
  const match = numbers ?? letters
  if (!match) return null
  const [first = '', last = ''] = [match[1], match[2]]
  const from = numbers ? Number(first) : first.charCodeAt(0)
  const to = numbers ? Number(last) : last.charCodeAt(0)
  const step = Math.max(1, Math.abs(Number(match[3] ?? 1)))
  const count = Math.floor(Math.abs(to - from) / step) + 1
  if (count > most) return null
  const width = numbers && (/^-?0\d/.test(first) || /^-?0\d/.test(last)) ? Math.max(first.length, last.length) : 0
  return Array.from({ length: count }, (_, i) => {
    const value = from + (to >= from ? i : -i) * step
    return numbers ? padded(value, width) : String.fromCharCode(value)
  })
}

function padded(value: number, width: number): string {
  return value < 0 ? `-${String(-value).padStart(width - 1, '0')}` : String(value).padStart(width, '0')
}
