import { countsOf, type Format, marksByLine, numbersByName, oneLine, totalling } from '../reading.ts'

/** One summary per crate and one for its doc tests, each after `running 3 tests`. */
export const cargo: Format = {
  needsAll: true,
  ...oneLine('cargo', {
    start: /^running \d{1,9} tests?$/,
    summary:
      /^test result: (?:ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored; \d{1,9} measured; \d{1,9} filtered out(?:; .*)?$/,
    read: ([, passed, failed, ignored]) => countsOf(Number(passed), Number(failed), Number(ignored)),
  }),
}

export const rspec = oneLine('rspec', {
  summary: /^(\d{1,9}) examples?, (\d{1,9}) failures?(?:, (\d{1,9}) pending)?(?:, \d{1,9} errors? occurred outside of examples)?$/,
  read: ([, total, failed, pending = '0']) => {
    const passed = Number(total) - Number(failed) - Number(pending)
    return passed < 0 ? null : countsOf(passed, Number(failed), Number(pending))
  },
})

/** The pretty form; elsewhere than on a terminal bats writes TAP. */
export const bats = oneLine('bats', {
  summary: /^(\d{1,9}) tests?, (\d{1,9}) failures?(?:, (\d{1,9}) skipped)?(?:, (\d{1,9}) not run)?(?: in \d+ seconds?)?$/,
  read: ([, total, failed, skipped = '0', notRun = '0']) => {
    const passed = Number(total) - Number(failed) - Number(skipped) - Number(notRun)
    return passed < 0 ? null : countsOf(passed, Number(failed), Number(skipped) + Number(notRun))
  },
})

const PHPUNIT_HEADS = /^(?:FAILURES!|ERRORS!|WARNINGS!|OK, but .*!)$/

export const phpunit = oneLine('phpunit', {
  start: /^PHPUnit \d+\.\d+\S* by Sebastian Bergmann/,
  summary:
    /^OK \((\d{1,9}) tests?, \d{1,9} assertions?\)$|^(Tests: \d{1,9}, Assertions: \d{1,9}(?:, [A-Z][A-Za-z ]*: \d{1,9})*)\.$|^(No tests executed!)$/,
  read: ([, passed, parts, none], before) => {
    if (none !== undefined) return countsOf(0, 0, 0)
    if (parts === undefined) return countsOf(Number(passed), 0, 0)
    if (!PHPUNIT_HEADS.test(before)) return null
    const n = numbersByName(parts)
    const [failed, skipped] = [n('failures', 'errors'), n('skipped', 'incomplete')]
    return countsOf(Math.max(0, n('tests') - failed - skipped), failed, skipped)
  },
})

/** One line per assembly. */
export const dotnetLines = oneLine('dotnet', {
  summary:
    /^ *(?:Passed|Failed|Skipped)! +- (Failed: +\d{1,9}, Passed: +\d{1,9}, Skipped: +\d{1,9}), Total: +(\d{1,9}), Duration: .* - (\S.*)$/,
  key: ([, , , assembly = '']) => assembly,
  read: ([, parts = '', total]) => {
    const n = numbersByName(parts)
    return totalling(countsOf(n('passed'), n('failed'), n('skipped')), Number(total))
  },
})

/** One line for all of a build. */
export const dotnetBuild = oneLine('dotnet', {
  summary: /^ *Test summary: total: (\d{1,9}), (failed: \d{1,9}, succeeded: \d{1,9}, skipped: \d{1,9}), duration: .*$/,
  read: ([, total, parts = '']) => {
    const n = numbersByName(parts)
    return totalling(countsOf(n('succeeded'), n('failed'), n('skipped')), Number(total))
  },
})

const LONGEST_BLOCK = 100
const BLOCK_ROW = /^ +(?:passed|failed|skipped|succeeded|total): +\d{1,9}$/i

/** The forms over several lines: `Total tests: 3` and what follows; `Test run summary: …`, the assemblies, then the numbers. */
export const dotnetBlock: Format = {
  name: 'dotnet',
  marks: output =>
    marksByLine(output, (text, line) => {
      const isHead = /^(?:Total tests: \d{1,9}|Test run summary: .*)$/.test(text)
      if (!isHead) return []
      const block = output.lines.slice(line + 1, line + LONGEST_BLOCK)
      const from = text.startsWith('Total') ? 0 : block.findIndex(row => row.startsWith('  total: '))
      if (from < 0) return []
      const n = numbersByName([text, ...block.slice(from, from + 4).filter(row => BLOCK_ROW.test(row))].join('\n'))
      const counts = totalling(countsOf(n('passed', 'succeeded'), n('failed'), n('skipped')), n('total', 'total tests'))
      return counts ? [{ line, kind: 'summary', format: 'dotnet', counts }] : []
    }),
}

/** What npm, pnpm and yarn write before the command of a script. */
export const scriptHeads: Format = {
  name: 'script',
  marks: output =>
    marksByLine(output, (text, line) => {
      const isHead = /^> \S/.test(text) && /^> \S/.test(output.lines[line + 1] ?? '') && (output.lines[line - 1] ?? '') === ''
      return isHead || /^yarn run v\d/.test(text) ? [{ line, kind: 'start' }] : []
    }),
}
