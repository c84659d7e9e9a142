import { countsOf, type Format, marksByLine, numbersByName, numbersByWord, oneLine } from '../reading.ts'

const TAIL = String.raw`in \d+(?:\.\d+)?s(?: \(\d+(?: days?, \d+)?:\d\d:\d\d\))?`
const WORDS = '(?:failed|passed|skipped|deselected|xfailed|xpassed|warnings?|errors?|rerun|subtests (?:passed|failed|skipped))'
const PARTS = `(?:\\d{1,9} ${WORDS}(?:, )?)+`
const NONE = String.raw`no tests ran|(?:no|\d{1,9}(?:/\d{1,9})?) tests? collected(?: \(\d{1,9} deselected\))?(?:, \d{1,9} errors?)?`

/** `== 1 failed, 3 passed in 0.12s ==`, without the signs when quiet. A test that errs in its set-up counts as failed. */
export const pytest = oneLine('pytest', {
  start: /^=+ test session starts =+$/,
  summary: new RegExp(`^(?:=+ )?(?:(${PARTS})|${NONE}) ${TAIL}(?: =+)?$`),
  read: ([, parts = '']) => {
    const n = numbersByWord(parts)
    return countsOf(n('passed'), n('failed', 'error', 'errors'), n('skipped', 'xfailed', 'xpassed'))
  },
})

/** `Ran 3 tests in 0.001s`, a blank line, and how it ended. Several failures of one test count one by one. */
export const unittest: Format = {
  name: 'unittest',
  marks: output =>
    marksByLine(output, (text, line) => {
      const total = /^Ran (\d{1,9}) tests? in \d+(?:\.\d+)?s$/.exec(text)?.[1]
      const end = (output.lines[line + 2] ?? '').slice(0, 400)
      if (total === undefined || output.lines[line + 1] !== '' || !/^(?:OK|FAILED|NO TESTS RAN)(?: \([a-z=\d, ]+\))?$/.test(end)) return []
      const n = numbersByName(end.slice(end.indexOf('(') + 1))
      const [failed, skipped] = [n('failures', 'errors', 'unexpected successes'), n('skipped', 'expected failures')]
      const counts = countsOf(Math.max(0, Number(total) - failed - skipped), failed, skipped)
      return [{ line, kind: 'summary', format: 'unittest', counts }]
    }),
}
