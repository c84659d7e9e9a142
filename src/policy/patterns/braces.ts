/** More alternatives than this in one pattern is a mistake or an attack. */
const MOST_ALTERNATIVES = 256

class PatternTooWide extends Error {}

/** `a{b,c}d` → `abd`, `acd`, nested ones included. A brace without a partner, or one that holds no comma, stands for itself. */
export function expandBraces(pattern: string): string[] {
  const group = firstGroup(pattern)
  if (!group) return [pattern]
  const { open, close, choices } = group
  const expanded: string[] = []
  for (const rest of expandBraces(pattern.slice(close + 1))) {
    for (const choice of choices) {
      for (const middle of expandBraces(choice)) expanded.push(pattern.slice(0, open) + middle + rest)
      if (expanded.length > MOST_ALTERNATIVES) throw new PatternTooWide(`${pattern} has more than ${MOST_ALTERNATIVES} alternatives`)
    }
  }
  return expanded
}

interface Group {
  open: number
  close: number
  choices: string[]
}

function firstGroup(pattern: string): Group | null {
  const stack: { at: number; commas: number[] }[] = []
  let outermost: Group | null = null
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i]
    if (char === '{') stack.push({ at: i, commas: [] })
    else if (char === ',') stack.at(-1)?.commas.push(i)
    else if (char === '}') {
      const open = stack.pop()
      if (!open || open.commas.length === 0) continue
      if (outermost && outermost.open < open.at) continue
      outermost = { open: open.at, close: i, choices: between(pattern, open.at, open.commas, i) }
      if (stack.length === 0) return outermost
    }
  }
  return outermost
}

function between(pattern: string, open: number, commas: number[], close: number): string[] {
  const edges = [open, ...commas, close]
  return edges.slice(1).map((edge, i) => pattern.slice((edges[i] ?? 0) + 1, edge))
}
