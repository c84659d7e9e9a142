import type { TestCounts } from '../../facts.ts'
import { countsOf, type Format, type Mark } from '../reading.ts'

type Outcome = 'passed' | 'failed' | 'skipped'

/** One document as far as it was read. */
interface Document {
  plan: number | null
  /** Test points on the outermost level. */
  points: number
  /** Which number the next point has on each level. */
  next: number[]
  /** Points of the level below since the last one of this level: what they belong to is no test itself. */
  children: number[]
  outcomes: Outcome[]
}

const PLAN = /^1\.\.(\d{1,9})(?: *#.*)?$/
const POINT = /^( *)(not )?ok\b(?: +(\d{1,9}))?(.*)$/
const UNCOUNTED = /[^\\]#\s*(?:skip|todo)/i

/** TAP 12 to 14 with subtests. Points count in the order of their numbers, and only with a plan that they fulfil: so text that
 *  looks like a point adds nothing. */
export const tap: Format = {
  name: 'TAP',
  needsAll: true,
  marks: ({ lines, telling }) => {
    const marks: Mark[] = []
    let at = emptyDocument()
    let inYaml = false
    const close = (line: number): void => {
      // Documents in a row add up.
      marks.push({ line, kind: 'summary', format: 'TAP', key: String(line), counts: tally(at.outcomes) })
      at = emptyDocument()
    }
    for (const line of telling) {
      const text = lines[line] ?? ''
      if (/^TAP version 1[234]$/.test(text)) {
        marks.push({ line, kind: 'start' })
        at = emptyDocument()
        inYaml = false
        continue
      }
      if (/^ +---$/.test(text)) inYaml = true
      if (/^ +\.\.\.$/.test(text)) inYaml = false
      if (inYaml) continue
      if (text.startsWith('Bail out!')) at = emptyDocument()
      const plan = PLAN.exec(text)?.[1]
      if (plan !== undefined) at.plan = Number(plan)
      else if (/^ *\}$/.test(text)) closeBrace(at, text.length - 1)
      else takePoint(at, text)
      if (at.plan === at.points) close(line)
      // More points than planned: that was no plan.
      else if (at.plan !== null && at.plan < at.points) at.plan = null
    }
    return marks
  },
}

function emptyDocument(): Document {
  return { plan: null, points: 0, next: [1], children: [0], outcomes: [] }
}

function takePoint(at: Document, text: string): void {
  const [, indent, not, number, rest = ''] = POINT.exec(text) ?? []
  if (indent === undefined || indent.length % 4 !== 0) return
  const level = indent.length / 4
  if (level > at.next.length) return
  const expected = at.next[level] ?? 1
  if (number !== undefined && Number(number) !== expected) return
  at.next = [...at.next.slice(0, level), expected + 1]
  // With a brace its subtests follow, up to the closing one; without it they stood before it.
  const opens = rest.endsWith('{')
  const isParent = opens || (at.children[level + 1] ?? 0) > 0
  at.children = [...at.children.slice(0, level), (at.children[level] ?? 0) + 1]
  if (level === 0 && !opens) at.points++
  if (!isParent) at.outcomes.push(UNCOUNTED.test(rest) ? 'skipped' : not ? 'failed' : 'passed')
}

function closeBrace(at: Document, indent: number): void {
  const level = indent / 4
  if (!Number.isInteger(level) || (at.children[level] ?? 0) === 0) return
  at.children.length = Math.min(at.children.length, level + 1)
  at.next.length = Math.min(at.next.length, level + 1)
  if (level === 0) at.points++
}

function tally(outcomes: readonly Outcome[]): TestCounts {
  const of = (wanted: Outcome): number => outcomes.filter(outcome => outcome === wanted).length
  return countsOf(of('passed'), of('failed'), of('skipped'))
}
