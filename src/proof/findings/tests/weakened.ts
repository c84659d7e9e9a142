import { functionEnd, guardsAround } from '../../source/enclosing.ts'
import { blockAt, testBlocks } from '../../source/test-blocks.ts'
import { type FindingRule, finding } from '../rule.ts'
import type { Assertion } from './assertions.ts'
import { isConstant } from './constant.ts'
import { severityWithLeave } from './leave.ts'
import { pairedTests, type TestPair, type TestSide } from './paired-tests.ts'
import { strengthOf, subjectsOf } from './strength.ts'
import { isWidened } from './tolerance.ts'

interface Weak {
  /** From 0. */
  line: number
  what: string
}

/** An existing test that asks less than it did. */
export const testWeakened: FindingRule = facts => {
  const severity = severityWithLeave(facts)
  return pairedTests(facts).pairs.flatMap(pair => {
    const { path } = pair.after.view
    const found = WAYS.flatMap(way => way(pair))
    const lines = new Map(found.map(weak => [weak.line, weak]))
    return [...lines.values()].map(({ line, what }) =>
      finding('test.weakened', { path, line: line + 1, measured: what, severity: severity(path) }),
    )
  })
}

type Way = (pair: TestPair) => Weak[]

function onlyIn(side: TestSide, other: TestSide): Assertion[] {
  const left = other.assertions.map(assertion => assertion.text)
  return side.assertions.filter(({ text }) => {
    const at = left.indexOf(text)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

const looser: Way = ({ before, after, retitled }) => {
  const { language } = after.source
  const [gone, come] = [onlyIn(before, after), onlyIn(after, before)]
  const strictly = (assertions: Assertion[]): Assertion[] => assertions.filter(assertion => strengthOf(assertion, language) === 'strict')
  const loosely = (assertions: Assertion[]): Assertion[] => assertions.filter(assertion => strengthOf(assertion, language) === 'loose')
  const subjects = (assertion: Assertion): string[] => subjectsOf(assertion, language)
  const about = (assertions: Assertion[], subject: string): number => assertions.filter(one => subjects(one).includes(subject)).length
  const looseNow = loosely(come)
  const fewer = strictly(gone).length > strictly(come).length && looseNow.length > loosely(gone).length
  return looseNow
    .filter(
      assertion =>
        (fewer && !retitled) || subjects(assertion).some(subject => about(strictly(gone), subject) > about(strictly(come), subject)),
    )
    .map(assertion => ({ line: assertion.line, what: `a looser assertion: ${short(assertion.text)}` }))
}

const wider: Way = ({ before, after }) => {
  const gone = onlyIn(before, after)
  return onlyIn(after, before)
    .filter(assertion => gone.some(old => isWidened(old, assertion)))
    .map(assertion => ({ line: assertion.line, what: `a wider tolerance: ${short(assertion.text)}` }))
}

const constant: Way = ({ before, after, retitled }) =>
  retitled
    ? []
    : onlyIn(after, before)
        .filter(assertion => isConstant(assertion, after.source.language))
        .map(assertion => ({ line: assertion.line, what: `an assertion that always holds: ${short(assertion.text)}` }))

const guarded: Way = ({ before, after }) => {
  const groups = new Map<string, { was: Assertion[]; is: Assertion[] }>()
  const group = (text: string): { was: Assertion[]; is: Assertion[] } => {
    const known = groups.get(text) ?? { was: [], is: [] }
    groups.set(text, known)
    return known
  }
  for (const assertion of before.assertions) group(assertion.text).was.push(assertion)
  for (const assertion of after.assertions) group(assertion.text).is.push(assertion)
  return [...groups.values()].flatMap(({ was, is }) => {
    const byGuards = (a: Assertion, b: Assertion): number => a.guards.length - b.guards.length
    was.sort(byGuards)
    is.sort(byGuards)
    return is.flatMap((assertion, i): Weak[] => {
      const old = was[i]
      if (!old) return []
      if (assertion.guards.length > old.guards.length)
        return [
          {
            line: assertion.line,
            what: `now under ${assertion.guards[0]?.kind === 'swallow' ? 'a catch that hides its failure' : 'a condition'}`,
          },
        ]
      const waits = /\.(?:resolves|rejects)\b/.test(assertion.text) && old.awaited && !assertion.awaited
      return waits ? [{ line: assertion.line, what: 'no longer waited for' }] : []
    })
  })
}

/** Tables of cases leave early where a case wants an error; that is how the language writes it. */
const WANTED_ERROR = /\b(?:wantErr|wantError|expectErr\w*|shouldErr\w*|err)\b/i

const leavesEarly: Way = ({ before, after }) => {
  const returns = earlyReturns(after)
  return returns.length > earlyReturns(before).length
    ? returns.slice(0, 1).map(line => ({ line, what: 'returns before its assertions' }))
    : []
}

/** Lines with a `return` behind which, in the same function, assertions stand that are never reached then. */
function earlyReturns({ source, block, assertions }: TestSide): number[] {
  const { code, language } = source
  const [first, last] = [assertions[0], assertions.at(-1)]
  if (!first || !last) return []
  const from = block?.start ?? 0
  const lines = Array.from(code.slice(from, last.start).matchAll(/(?<![\w$.])return(?![\w$])/g)).flatMap(match => {
    const at = from + match.index
    const line = source.lineAt(at)
    // `return expect(…)` returns the assertion itself.
    const next = assertions.find(assertion => assertion.line > line)
    if (!next || next.start >= functionEnd(source, at)) return []
    const wanted = language === 'go' && guardsAround(source, at)[0]?.head.match(WANTED_ERROR)
    return wanted ? [] : [line]
  })
  return block ? lines : lines.filter(line => !blockAt(testBlocks(source), source.lineStarts[line + 1] ?? source.text.length))
}

const WAYS: readonly Way[] = [looser, wider, constant, guarded, leavesEarly]

const short = (text: string): string => (text.length > 80 ? `${text.slice(0, 79)}…` : text)
