/** Characters that editors and models write in two ways, each with its plain form. */
const PLAIN_FORMS: readonly (readonly [RegExp, string])[] = [
  [/[\u2018-\u201b\u2032\u2035]/g, "'"],
  [/[\u201c-\u201f\u2033\u2036]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, '-'],
  [/[\u00a0\u2002-\u200a\u202f\u3000]/g, ' '],
  [/\u2026/g, '...'],
]

const FOLDABLE = /[\u00a0\u2002-\u200a\u2010-\u2015\u2018-\u201f\u2026\u202f\u2032\u2033\u2035\u2036\u2212\u3000]/

export function isFoldable(text: string): boolean {
  return FOLDABLE.test(text)
}

export function folded(text: string): string {
  return isFoldable(text) ? PLAIN_FORMS.reduce((result, [form, plain]) => result.replace(form, plain), text) : text
}

/** The new text with the file's characters wherever it repeats the search unchanged. Search and file are equal when folded. */
export function inFileForm(texts: { search: string; file: string; replacement: string }): string {
  const { search, file, replacement } = texts
  if (!isFoldable(file) && !isFoldable(search)) return replacement
  const kept = keptUnits(search, replacement)
  let result = ''
  let next = 0
  for (const unit of alignedUnits(search, file)) {
    const at = kept[unit.start] ?? -1
    const together = at >= 0 && Array.from({ length: unit.length }, (_, i) => kept[unit.start + i] === at + i).every(Boolean)
    if (!together) continue
    result += replacement.slice(next, at) + unit.file
    next = at + unit.length
  }
  return result + replacement.slice(next)
}

/** Search and file cut into the smallest pieces that stand against each other: one unit each, but for `…` against `...`. */
function alignedUnits(search: string, file: string): { start: number; length: number; file: string }[] {
  const units: { start: number; length: number; file: string }[] = []
  let inFile = 0
  for (let start = 0; start < search.length; ) {
    const own = folded(search[start] ?? '').length
    const theirs = folded(file[inFile] ?? '').length
    const length = Math.max(1, theirs > own ? theirs : 1)
    const fileLength = own > theirs ? own : 1
    units.push({ start, length, file: file.slice(inFile, inFile + fileLength) })
    start += length
    inFile += fileLength
  }
  return units
}

const MOST_DIFFERENCES = 400

/** For each unit of `a` the place in `b` where it stands unchanged, or -1: the longest common subsequence by Myers' method,
 *  or the common ends where the texts differ too much for it to be worth the time. */
function keptUnits(a: string, b: string): Int32Array {
  const kept = new Int32Array(a.length).fill(-1)
  for (const [x, y] of commonPath(a, b) ?? commonEnds(a, b)) kept[x] = y
  return kept
}

function commonEnds(a: string, b: string): [number, number][] {
  const pairs: [number, number][] = []
  const most = Math.min(a.length, b.length)
  let head = 0
  for (; head < most && a[head] === b[head]; head++) pairs.push([head, head])
  for (let tail = 1; tail <= most - head && a[a.length - tail] === b[b.length - tail]; tail++)
    pairs.push([a.length - tail, b.length - tail])
  return pairs
}

function commonPath(a: string, b: string): [number, number][] | undefined {
  const furthest = new Map<number, number>([[1, 0]])
  const trace: Map<number, number>[] = []
  for (let d = 0; d <= Math.min(a.length + b.length, MOST_DIFFERENCES); d++) {
    trace.push(new Map(furthest))
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && (furthest.get(k - 1) ?? -1) < (furthest.get(k + 1) ?? -1))
      let x = down ? (furthest.get(k + 1) ?? 0) : (furthest.get(k - 1) ?? 0) + 1
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++
      furthest.set(k, x)
      if (x >= a.length && x - k >= b.length) return walkBack(trace, a.length, b.length)
    }
  }
  return undefined
}

function walkBack(trace: Map<number, number>[], endX: number, endY: number): [number, number][] {
  const pairs: [number, number][] = []
  let x = endX
  let y = endY
  for (let d = trace.length - 1; d >= 0; d--) {
    const furthest = trace[d] ?? new Map<number, number>()
    const k = x - y
    const down = k === -d || (k !== d && (furthest.get(k - 1) ?? -1) < (furthest.get(k + 1) ?? -1))
    const before = down ? k + 1 : k - 1
    const beforeX = furthest.get(before) ?? 0
    const beforeY = beforeX - before
    while (x > beforeX && y > beforeY && x > 0 && y > 0) {
      x--
      y--
      pairs.push([x, y])
    }
    x = beforeX
    y = beforeY
  }
  return pairs
}
