/** One line of a comparison. */
export interface DiffLine {
  sign: ' ' | '-' | '+'
  /** In the old text for what is gone, else in the new one; from 1. */
  line: number
  text: string
}

/** Beyond this the two are shown as one block each: comparing all pairs would be felt. */
const MOST_PAIRS = 250_000

/** The lines that make one text the other, with those they share between them. Both begin at the line `from` of their files. */
export function diffLines(before: string, after: string, from = 1): DiffLine[] {
  const [was, is] = [linesOf(before), linesOf(after)]
  const shared = was.length * is.length > MOST_PAIRS ? null : commonLengths(was, is)
  const found: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < was.length || j < is.length) {
    const [old, now] = [was[i], is[j]]
    if (shared && old !== undefined && old === now) {
      found.push({ sign: ' ', line: from + j, text: old })
      i++
      j++
    } else if (old !== undefined && (now === undefined || !shared || at(shared, i + 1, j) >= at(shared, i, j + 1))) {
      found.push({ sign: '-', line: from + i++, text: old })
    } else found.push({ sign: '+', line: from + j++, text: now ?? '' })
  }
  return found
}

/** How many lines the rests of both texts share, for every pair of places. */
function commonLengths(was: string[], is: string[]): Uint16Array[] {
  const table = Array.from({ length: was.length + 1 }, () => new Uint16Array(is.length + 1))
  for (let i = was.length - 1; i >= 0; i--) {
    for (let j = is.length - 1; j >= 0; j--) {
      const row = table[i]
      if (row) row[j] = was[i] === is[j] ? at(table, i + 1, j + 1) + 1 : Math.max(at(table, i + 1, j), at(table, i, j + 1))
    }
  }
  return table
}

const at = (table: Uint16Array[], i: number, j: number): number => table[i]?.[j] ?? 0

const linesOf = (text: string): string[] => (text === '' ? [] : text.split('\n'))
