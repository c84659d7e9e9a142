import { parseJson } from '../../../kernel/json.ts'
import { countsOf, type Format, type Mark } from '../reading.ts'

type Outcome = 'PASS' | 'FAIL' | 'SKIP'

function tally(outcomes: Iterable<Outcome>): ReturnType<typeof countsOf> {
  const all = [...outcomes]
  const of = (outcome: Outcome): number => all.filter(one => one === outcome).length
  return countsOf(of('PASS'), of('FAIL'), of('SKIP'))
}

const PACKAGE_END = /^(ok|FAIL|\?)\s*\t(\S+)(?:\s+(.*))?$/
const NOTHING_RUN = /\[(?:no test files|no tests to run|build failed|setup failed)\]/

/** `go test`, which names its tests only with `-v`: without it how many there were cannot be known, unless there were none.
 *  Subtests count like tests; what was never started as a test does not count. */
export const goText: Format = {
  name: 'go',
  needsAll: true,
  marks: ({ lines, telling }) => {
    const marks: Mark[] = []
    const isVerbose = telling.some(line => lines[line]?.startsWith('=== RUN   '))
    let started = new Set<string>()
    let outcomes = new Map<string, Outcome>()
    for (const line of telling) {
      const text = lines[line] ?? ''
      const run = /^=== RUN {3}(\S+)$/.exec(text)?.[1]
      if (run !== undefined) started.add(run)
      const [, outcome, name = ''] = /^ *--- (PASS|FAIL|SKIP): (\S+) \(\d+\.\d+s\)$/.exec(text) ?? []
      if (outcome !== undefined && started.has(name)) outcomes.set(name, outcome as Outcome)
      const [, end, key = '', rest = ''] = PACKAGE_END.exec(text) ?? []
      if (end === undefined) continue
      const known = isVerbose || end === '?' || NOTHING_RUN.test(rest)
      marks.push({ line, kind: 'summary', format: 'go', key, counts: known ? tally(outcomes.values()) : null })
      started = new Set()
      outcomes = new Map()
    }
    return marks
  },
}

/** `go test -json`: one object per line; a test's own output is a value in it and cannot pass for one. */
export const goJson: Format = {
  name: 'go',
  needsAll: true,
  marks: ({ lines, telling }) => {
    const packages = new Map<string, { line: number; outcomes: Map<string, Outcome> }>()
    for (const line of telling) {
      const text = lines[line] ?? ''
      if (!text.startsWith('{"') || !text.includes('"Action":"')) continue
      const event = parseJson(text)
      if (typeof event !== 'object' || event === null || Array.isArray(event)) continue
      const { Action: action, Package: name, Test: test } = event
      if (typeof name !== 'string' || typeof action !== 'string') continue
      const known = packages.get(name) ?? { line, outcomes: new Map<string, Outcome>() }
      packages.set(name, known)
      known.line = line
      const outcome = action.toUpperCase()
      if (typeof test === 'string' && isOutcome(outcome)) known.outcomes.set(test, outcome)
    }
    return [...packages].map(([key, { line, outcomes }]) => ({
      line,
      kind: 'summary',
      format: 'go',
      key,
      counts: tally(outcomes.values()),
    }))
  },
}

function isOutcome(text: string): text is Outcome {
  return text === 'PASS' || text === 'FAIL' || text === 'SKIP'
}
