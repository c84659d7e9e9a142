export interface Brackets {
  /** For each bracket the place of its partner, else -1. */
  partner: Int32Array
  /** For each place the bracket that is open around it, else -1. */
  around: Int32Array
}

const CLOSES: Record<string, string> = { ')': '(', ']': '[', '}': '{' }

/** Which brackets of blanked code belong together. One that has no partner spoils nothing around it. */
export function bracketsOf(code: string): Brackets {
  const partner = new Int32Array(code.length).fill(-1)
  const around = new Int32Array(code.length).fill(-1)
  const open: number[] = []
  const waiting: Record<string, number> = { '(': 0, '[': 0, '{': 0 }
  for (let at = 0; at < code.length; at++) {
    const char = code[at] ?? ''
    around[at] = open.at(-1) ?? -1
    if (char === '(' || char === '[' || char === '{') {
      open.push(at)
      waiting[char] = (waiting[char] ?? 0) + 1
      continue
    }
    const wanted = char === ')' || char === ']' || char === '}' ? CLOSES[char] : undefined
    if (wanted === undefined || waiting[wanted] === 0) continue
    while (open.length > 0) {
      const start = open.pop() ?? 0
      const found = code[start] ?? ''
      waiting[found] = (waiting[found] ?? 1) - 1
      if (found !== wanted) continue
      partner[start] = at
      partner[at] = start
      around[at] = around[start] ?? -1
      break
    }
  }
  return { partner, around }
}

/** The end of the statement that begins here: a `;` or the end of a line outside brackets, unless the next line goes on with a dot. */
export function statementEnd(code: string, { partner }: Brackets, start: number): number {
  const most = Math.min(code.length, start + 20_000)
  for (let at = start; at < most; at++) {
    const char = code[at]
    const match = partner[at] ?? -1
    if (match > at) at = match
    else if (char === ';' || char === '}' || char === ')' || char === ']') return at
    else if (char === '\n' && !/^\s{0,500}(?:\.|\?\.)\w/.test(code.slice(at, at + 520)) && code[at - 1] !== '\\') return at
  }
  return most
}

/** What stands between a bracket and its partner, cut at its commas. */
export function argumentsIn(code: string, { partner }: Brackets, open: number): { start: number; end: number }[] {
  const close = partner[open] ?? -1
  if (close < 0) return []
  const parts: { start: number; end: number }[] = []
  let start = open + 1
  for (let at = open + 1; at < close; at++) {
    const match = partner[at] ?? -1
    if (match > at) at = match
    else if (code[at] === ',') {
      parts.push({ start, end: at })
      start = at + 1
    }
  }
  if (code.slice(start, close).trim() !== '') parts.push({ start, end: close })
  return parts
}
