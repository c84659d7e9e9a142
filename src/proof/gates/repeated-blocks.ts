import type { FileView } from '../findings/view.ts'

export interface RepeatedBlock {
  path: string
  /** From 1. */
  line: number
  other: { path: string; line: number }
}

const BLOCK = 20
/** Fewer different lines are a list of zeros, not code that was copied. */
const LEAST_DIFFERENT = 5

/** So many lines of code in a row: comments, empty lines and blanks at the ends of lines do not count. */
interface Window {
  path: string
  /** From 1. */
  line: number
  /** Which line of code of its file it begins with. */
  at: number
  key: string
  /** Every line of it is new. */
  added: boolean
}

/** Blocks of at least 20 lines that the change adds and that stand elsewhere too, as far as the change touches both files. A run of
 *  equal lines counts once, where it is the copy. */
export function repeatedBlocks(views: readonly FileView[]): RepeatedBlock[] {
  const ids = new Map<string, number>()
  const windows = views.flatMap(view => windowsOf(view, ids)).filter(({ key }) => new Set(key.split(' ')).size >= LEAST_DIFFERENT)
  const first = new Map<string, Window>()
  for (const window of windows) if (!window.added && !first.has(window.key)) first.set(window.key, window)
  const found: RepeatedBlock[] = []
  let run: { path: string; until: number } | null = null
  for (const window of windows.filter(({ added }) => added)) {
    const other = first.get(window.key)
    if (!other) first.set(window.key, window)
    if (!other || isBeside(other, window)) continue
    const goesOn: boolean = run?.path === window.path && window.at <= run.until
    if (!goesOn) found.push({ path: window.path, line: window.line, other: { path: other.path, line: other.line } })
    run = { path: window.path, until: window.at + BLOCK - 1 }
  }
  return found
}

function windowsOf({ path, now, diff }: FileView, ids: Map<string, number>): Window[] {
  if (!now) return []
  const added = new Set(diff.added)
  const lines = Array.from({ length: now.lineCount }, (_, line) => ({ line, text: now.lineOf('plain', line).trim() })).filter(
    ({ text }) => text !== '',
  )
  const keys = lines.map(({ text }) => {
    const id = ids.get(text) ?? ids.size
    ids.set(text, id)
    return id
  })
  return Array.from({ length: Math.max(0, lines.length - BLOCK + 1) }, (_, at) => ({
    path,
    line: (lines[at]?.line ?? 0) + 1,
    at,
    key: keys.slice(at, at + BLOCK).join(' '),
    added: lines.slice(at, at + BLOCK).every(({ line }) => added.has(line)),
  }))
}

/** What goes on repeating itself is no copy of its neighbour. */
function isBeside(a: Window, b: Window): boolean {
  return a.path === b.path && Math.abs(a.at - b.at) < BLOCK
}
