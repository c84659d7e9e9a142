import { countsOf, type Format, marksByLine, numbersByWord, oneLine, totalling } from '../reading.ts'

// A test that is to be done or expected to fail counts as skipped: its outcome says nothing about the code.

export const vitest = oneLine('vitest', {
  start: /^ ?(?:RUN|DEV) {1,2}v\d+\.\d+/,
  summary: /^ *Tests {2}(?:(no tests)|((?:\d{1,9} [a-z ]+(?: \| )?)+) \((\d{1,9})\))$|^(No test files found), exiting with code \d$/,
  read: ([, none, parts = '', total, noFiles], before) => {
    if (noFiles !== undefined) return countsOf(0, 0, 0)
    if (!/^ *Test Files {2}/.test(before)) return null
    if (none !== undefined) return countsOf(0, 0, 0)
    const n = numbersByWord(parts)
    return totalling(countsOf(n('passed'), n('failed'), n('skipped', 'todo', 'expected fail')), Number(total))
  },
})

export const jest = oneLine('jest', {
  summary: /^Tests: +((?:\d{1,9} [a-z]+, )*)(\d{1,9}) total$|^(No tests found), exiting with code \d$/,
  read: ([, parts = '', total, none], before) => {
    if (none !== undefined) return countsOf(0, 0, 0)
    if (!/^Test Suites: +(?:\d{1,9} [a-z]+, )*(?:\d{1,9} of )?\d{1,9} total$/.test(before)) return null
    const n = numbersByWord(parts)
    return totalling(countsOf(n('passed'), n('failed'), n('skipped', 'todo')), Number(total))
  },
})

/** `  3 passing (4ms)`, and below it what is pending and failing. */
export const mocha: Format = {
  name: 'mocha',
  marks: output =>
    marksByLine(output, (text, line) => {
      const passing = /^ {2}(\d{1,9}) passing \(\d+(?:ms|s|m|h|d)\)$/.exec(text)?.[1]
      if (passing === undefined) return []
      const rest = numbersByWord(
        output.lines
          .slice(line + 1, line + 3)
          .filter(next => /^ {2}\d{1,9} (?:pending|failing)$/.test(next))
          .join('\n'),
      )
      return [{ line, kind: 'summary', format: 'mocha', counts: countsOf(Number(passing), rest('failing'), rest('pending')) }]
    }),
}

const NODE_NAMES = ['tests', 'suites', 'pass', 'fail', 'cancelled', 'skipped', 'todo'] as const

/** `ℹ tests 3` of the spec reporter, `# tests 3` of the TAP reporter: one line for each name, in this order. */
export const nodeTest: Format = {
  name: 'node:test',
  marks: output =>
    marksByLine(output, (text, line) => {
      if (!/^(?:ℹ|#) tests \d{1,9}$/.test(text)) return []
      const [tests = -1, , pass = 0, fail = 0, cancelled = 0, skipped = 0, todo = 0] = NODE_NAMES.map((name, i) => {
        const [, said, count] = /^(?:ℹ|#) ([a-z]+) (\d{1,9})$/.exec((output.lines[line + i] ?? '').slice(0, 40)) ?? []
        return said === name ? Number(count) : Number.NaN
      })
      const counts = totalling(countsOf(pass, fail + cancelled, skipped + todo), tests)
      return counts ? [{ line, kind: 'summary', format: 'node:test', counts }] : []
    }),
}
