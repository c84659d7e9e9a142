/** Lines of two texts that differ; numbers from 0, ends exclusive. */
export interface Hunk {
  before: { start: number; end: number }
  after: { start: number; end: number }
}

export interface LineDiff {
  hunks: Hunk[]
  removed: number[]
  added: number[]
}

/** More differences than this are not worth the time of finding the fewest. */
const MOST_DIFFERENCES = 1500

/** The fewest lines that were taken away and added (Myers), between what is equal at both ends. Texts that differ too much are
 *  one hunk, in which only lines that the other side has nowhere count. */
export function diffLines(before: readonly string[], after: readonly string[]): LineDiff {
  let head = 0
  const most = Math.min(before.length, after.length)
  while (head < most && before[head] === after[head]) head++
  let tail = 0
  while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++
  const a = before.slice(head, before.length - tail)
  const b = after.slice(head, after.length - tail)
  if (a.length === 0 && b.length === 0) return { hunks: [], removed: [], added: [] }
  const kept = a.length === 0 || b.length === 0 ? [] : keptPairs(a, b)
  return kept ? between(kept, { head, a: a.length, b: b.length }) : byMembership(a, b, head)
}

function between(kept: [number, number][], { head, a, b }: { head: number; a: number; b: number }): LineDiff {
  const hunks: Hunk[] = []
  let [x, y] = [0, 0]
  for (const [nextX, nextY] of [...kept, [a, b] as const]) {
    if (nextX > x || nextY > y)
      hunks.push({ before: { start: head + x, end: head + nextX }, after: { start: head + y, end: head + nextY } })
    x = nextX + 1
    y = nextY + 1
  }
  return { hunks, removed: hunks.flatMap(hunk => range(hunk.before)), added: hunks.flatMap(hunk => range(hunk.after)) }
}

const range = ({ start, end }: { start: number; end: number }): number[] => Array.from({ length: end - start }, (_, i) => start + i)

function byMembership(a: readonly string[], b: readonly string[], head: number): LineDiff {
  return {
    hunks: [{ before: { start: head, end: head + a.length }, after: { start: head, end: head + b.length } }],
    removed: missing(a, b).map(line => head + line),
    added: missing(b, a).map(line => head + line),
  }
}

/** Lines of the one that the other does not have as often. */
function missing(lines: readonly string[], others: readonly string[]): number[] {
  const left = new Map<string, number>()
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1)
  return lines.flatMap((line, i) => {
    const count = left.get(line) ?? 0
    if (count > 0) left.set(line, count - 1)
    return count > 0 ? [] : [i]
  })
}

function keptPairs(a: readonly string[], b: readonly string[]): [number, number][] | null {
  const ids = new Map<string, number>()
  const idOf = (line: string): number => {
    const known = ids.get(line)
    if (known !== undefined) return known
    ids.set(line, ids.size)
    return ids.size - 1
  }
  const trace = furthestPaths(Int32Array.from(a, idOf), Int32Array.from(b, idOf))
  return trace && walkBack(trace, a.length, b.length)
}

// trace[d] holds, for each diagonal from -d-1 to d+1, how far d differences reach; the offset of diagonal k is k + d + 1.
function furthestPaths(a: Int32Array, b: Int32Array): Int32Array[] | null {
  const trace: Int32Array[] = []
  const most = Math.min(a.length + b.length, MOST_DIFFERENCES)
  for (let d = 0; d <= most; d++) {
    const last = trace[d - 1]
    const reach = new Int32Array(2 * d + 3).fill(-1)
    trace.push(reach)
    for (let k = -d; k <= d; k += 2) {
      let x = last ? startOn(last, d, k) : 0
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++
      reach[k + d + 1] = x
      if (x >= a.length && x - k >= b.length) return trace
    }
  }
  return null
}

/** Whether a path on diagonal k comes from above, by a line that was added. */
function fromAbove(last: Int32Array, d: number, k: number): boolean {
  return k === -d || (k !== d && (last[k - 1 + d] ?? -1) < (last[k + 1 + d] ?? -1))
}

function startOn(last: Int32Array, d: number, k: number): number {
  return fromAbove(last, d, k) ? (last[k + 1 + d] ?? 0) : (last[k - 1 + d] ?? 0) + 1
}

function walkBack(trace: Int32Array[], lengthA: number, lengthB: number): [number, number][] {
  const pairs: [number, number][] = []
  let [x, y] = [lengthA, lengthB]
  for (let d = trace.length - 1; d >= 0; d--) {
    const last = trace[d - 1]
    const k = x - y
    const startX = last ? startOn(last, d, k) : 0
    while (x > startX) pairs.push([--x, --y])
    if (!last) break
    if (fromAbove(last, d, k)) y--
    else x--
  }
  return pairs.reverse()
}
