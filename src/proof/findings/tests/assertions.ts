import { argumentsIn, statementEnd } from '../../source/brackets.ts'
import { type Guard, guardsAround } from '../../source/enclosing.ts'
import type { Source } from '../../source/source.ts'
import { type Mark, marksIn, TOKENS } from './tokens.ts'

/** One assertion as it is written. */
export interface Assertion {
  start: number
  end: number
  /** From 0. */
  line: number
  /** Without comments, blanks made one, and without what swallows its failure. */
  text: string
  /** `expect(a).toBe(b)` is called as `expect` with `a`, then `toBe` with `b`. */
  calls: Call[]
  guards: Guard[]
  /** Whether the test waits for it. */
  awaited: boolean
}

interface Call {
  name: string
  args: string[]
}

/** The assertions of a code layer, in order. */
export function assertionsIn(source: Source, code: string): Assertion[] {
  const found: Assertion[] = []
  for (const mark of marksIn(code, TOKENS[source.language].assertion)) {
    const last = found.at(-1)
    if (last && mark.at < last.end) {
      // Part of the one before, `expect(a).should`; or it stands in a function handed to it, as properties have it.
      const inside = INNER.exec(code.slice(last.start, mark.at))
      if (!inside) continue
      found[found.length - 1] = cutAt(source, last, last.start + inside.index)
    }
    found.push(assertionAt(source, mark))
  }
  return found
}

const INNER = /=>|->|\bfunction\b|\bfunc\b|\blambda\b|\{/

function cutAt({ plain }: Source, assertion: Assertion, end: number): Assertion {
  return { ...assertion, end, text: `${plain.slice(assertion.start, end).replace(/\s+/g, ' ').trim()} …`, calls: [] }
}

const SWALLOWS = /\s*\.\s*catch\s*\([^]*$/
/** A condition on the same line: `if (x) expect(…)`, `x && expect(…)`, `if x: assert y`. */
const CONDITION_BEFORE = /(?:&&|\|\||\?|\b(?:if|unless|elif|else)\b[^;{}]*[):]|\belse)\s*(?:await\s+|return\s+|void\s+)*$/

function assertionAt(source: Source, mark: Mark): Assertion {
  const { code, plain, brackets } = source
  const start = mark.at
  const end = Math.max(statementEnd(code, brackets, start), start + mark.text.length)
  const line = source.lineAt(start)
  const before = code.slice(source.lineStarts[line] ?? 0, start)
  const whole = plain.slice(start, end).replace(/\s+/g, ' ').trim()
  const swallowed = SWALLOWS.exec(code.slice(start, end))
  const guards = guardsAround(source, start)
  if (swallowed) guards.unshift({ kind: 'swallow', head: '.catch(' })
  if (CONDITION_BEFORE.test(before)) guards.unshift({ kind: 'condition', head: before.trim() })
  const own = source.language === 'go' ? guards.find(guard => guard.kind === 'condition') : undefined
  const text = swallowed
    ? plain
        .slice(start, start + swallowed.index)
        .replace(/\s+/g, ' ')
        .trim()
    : whole
  return {
    start,
    end,
    line,
    // In Go the condition is the assertion; what is said on failure is not.
    text: own && /^\w+(?:\(\))?\.(?:Error|Fatal|Fail)/.test(text) ? own.head : text,
    calls: callsOf(source, start, end),
    guards,
    awaited: /\b(?:await|return|yield)\b[^;]*$/.test(before) || /=>\s*$/.test(before),
  }
}

function callsOf({ code, plain, brackets }: Source, start: number, end: number): Call[] {
  const calls: Call[] = []
  let at = start
  for (let step = 0; step < 12 && at < end; step++) {
    const name = /^\s{0,200}[.?!]{0,2}\s{0,50}[\w$.:>-]{0,120}!?\s{0,20}(?:<[^()\n]{0,80}>\s?)?/.exec(code.slice(at, at + 400))?.[0] ?? ''
    const open = at + name.length
    if (code[open] !== '(') {
      if (name.trim() !== '') calls.push({ name: name.trim(), args: [] })
      break
    }
    const args = argumentsIn(code, brackets, open).map(part => plain.slice(part.start, part.end).replace(/\s+/g, ' ').trim())
    calls.push({ name: name.trim(), args })
    at = (brackets.partner[open] ?? end) + 1
  }
  return calls
}
