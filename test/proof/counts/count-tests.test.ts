import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { countTests } from '../../../src/proof/counts/count-tests.ts'
import type { TestCounts } from '../../../src/proof/facts.ts'

const sample = (name: string): string => readFileSync(join(import.meta.dirname, 'samples', `${name}.txt`), 'utf8')
const counted = (stdout: string, { stderr = '', cut = false } = {}): TestCounts | null =>
  countTests({ text: stdout, cut }, { text: stderr, cut: false })
const counts = (passed: number, failed: number, skipped: number): TestCounts => ({ ran: passed + failed, passed, failed, skipped })

describe('F-11 what the tools really print', () => {
  test.each<[string, TestCounts]>([
    ['node-spec', counts(2, 1, 2)],
    ['node-tap', counts(2, 1, 2)],
    ['node-junit', counts(2, 1, 2)],
    ['vitest', counts(1, 1, 3)],
    // A file that fails to load is a point of its own in TAP, and a test that is expected to fail is an ordinary one.
    ['vitest-tap', counts(2, 2, 2)],
    ['vitest-tap-flat', counts(2, 2, 2)],
    ['jest', counts(1, 1, 2)],
    ['mocha', counts(1, 1, 2)],
    ['mocha-tap', counts(1, 1, 2)],
    ['mocha-xunit', counts(1, 1, 2)],
    ['pytest', counts(1, 3, 4)],
    ['pytest-quiet', counts(1, 3, 4)],
    ['pytest-collect', counts(0, 0, 0)],
    ['unittest', counts(1, 2, 2)],
    // Two summaries: the crate's own tests and its doc tests.
    ['cargo', counts(2, 1, 1)],
    ['bats', counts(1, 1, 1)],
    ['bats-tap', counts(1, 1, 1)],
  ])('%s', (name, expected) => {
    expect(counted(sample(name))).toEqual(expected)
    expect(counted('', { stderr: sample(name) })).toEqual(expected)
    expect(counted(sample(name).replaceAll('\n', '\r\n'))).toEqual(expected)
  })
})

const GO_VERBOSE = `=== RUN   TestAdd
--- PASS: TestAdd (0.00s)
=== RUN   TestTable
=== RUN   TestTable/one
=== RUN   TestTable/two
--- FAIL: TestTable (0.00s)
    --- PASS: TestTable/one (0.00s)
    --- FAIL: TestTable/two (0.00s)
=== RUN   TestLater
    a_test.go:9: later
--- SKIP: TestLater (0.00s)
FAIL
FAIL\texample.com/w/a\t0.003s
=== RUN   TestAdd
--- PASS: TestAdd (0.00s)
PASS
ok  \texample.com/w/b\t0.002s
?   \texample.com/w/c\t[no test files]
FAIL
`

const GO_JSON = `{"Time":"2026-01-01T00:00:00Z","Action":"start","Package":"example.com/w/a"}
{"Time":"2026-01-01T00:00:00Z","Action":"run","Package":"example.com/w/a","Test":"TestAdd"}
{"Time":"2026-01-01T00:00:00Z","Action":"output","Package":"example.com/w/a","Test":"TestAdd","Output":"=== RUN   TestAdd\\n"}
{"Time":"2026-01-01T00:00:00Z","Action":"output","Package":"example.com/w/a","Test":"TestAdd","Output":"--- PASS: TestAdd (0.00s)\\n"}
{"Time":"2026-01-01T00:00:00Z","Action":"pass","Package":"example.com/w/a","Test":"TestAdd","Elapsed":0}
{"Time":"2026-01-01T00:00:00Z","Action":"skip","Package":"example.com/w/a","Test":"TestLater","Elapsed":0}
{"Time":"2026-01-01T00:00:00Z","Action":"pass","Package":"example.com/w/a","Elapsed":0.002}
{"Time":"2026-01-01T00:00:00Z","Action":"fail","Package":"example.com/w/b","Test":"TestAdd","Elapsed":0}
{"Time":"2026-01-01T00:00:00Z","Action":"fail","Package":"example.com/w/b","Elapsed":0.002}
`

const DOTNET = `Test run for /w/A/bin/Debug/net8.0/A.dll (.NETCoreApp,Version=v8.0)
Test run for /w/B/bin/Debug/net8.0/B.dll (.NETCoreApp,Version=v8.0)
A total of 1 test files matched the specified pattern.

Passed!  - Failed:     0, Passed:     3, Skipped:     1, Total:     4, Duration: 24 ms - A.dll (net8.0)
  Failed B.Tests.Adds [3 ms]

Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3, Duration: 1 s - B.dll (net8.0)
`

const DOTNET_BLOCK = `Test Run Failed.
Total tests: 4
     Passed: 2
     Failed: 1
    Skipped: 1
 Total time: 1.2345 Seconds
`

const DOTNET_PLATFORM = `Test run summary: Failed!
  /w/A/bin/Debug/net10.0/A.dll (net10.0|x64) passed (1s 841ms)
  /w/B/bin/Debug/net10.0/B.dll (net10.0|x64) failed with 1 error(s) (2s 003ms)

  total: 9
  failed: 1
  succeeded: 6
  skipped: 2
  duration: 8s 095ms
`

const PHPUNIT = `PHPUnit 11.5.2 by Sebastian Bergmann and contributors.

.FES.                                                               5 / 5 (100%)

FAILURES!
Tests: 5, Assertions: 4, Errors: 1, Failures: 1, Skipped: 1.
`

describe('F-11 what the tools are documented to print', () => {
  test.each<[string, string, TestCounts | null]>([
    ['go with -v, subtests counted', GO_VERBOSE, counts(3, 2, 1)],
    ['go with -json', GO_JSON, counts(1, 1, 1)],
    ['go without -v does not say how many', 'ok  \texample.com/w/a\t0.003s\n', null],
    ['go without -v where nothing ran', 'ok  \texample.com/w/a\t0.003s [no tests to run]\n?   \tb\t[no test files]\n', counts(0, 0, 0)],
    ['dotnet by assembly, interleaved', DOTNET, counts(5, 1, 1)],
    ['dotnet in a block', DOTNET_BLOCK, counts(2, 1, 1)],
    ['dotnet with the testing platform', DOTNET_PLATFORM, counts(6, 1, 2)],
    ['dotnet at the end of a build', 'Test summary: total: 4, failed: 0, succeeded: 3, skipped: 1, duration: 0.9s\n', counts(3, 0, 1)],
    ['rspec', 'Finished in 0.01 seconds\n5 examples, 2 failures, 1 pending\n', counts(2, 2, 1)],
    ['rspec that could not load', '0 examples, 0 failures, 2 errors occurred outside of examples\n', counts(0, 0, 0)],
    ['phpunit that fails', PHPUNIT, counts(2, 2, 1)],
    ['phpunit that passes', 'OK (3 tests, 5 assertions)\n', counts(3, 0, 0)],
    ['phpunit with skipped', 'OK, but some tests were skipped!\nTests: 6, Assertions: 34, Skipped: 1.\n', counts(5, 0, 1)],
    ['phpunit without tests', 'No tests executed!\n', counts(0, 0, 0)],
    ['pytest over an hour', '====== 3 passed, 1 warning in 3700.12s (1:01:40) ======\n', counts(3, 0, 0)],
    ['pytest without tests', '===== no tests ran in 0.01s =====\n', counts(0, 0, 0)],
    ['pytest where none was chosen', '===== 8 deselected in 0.56s =====\n', counts(0, 0, 0)],
    ['unittest with nothing in it', 'Ran 0 tests in 0.000s\n\nNO TESTS RAN\n', counts(0, 0, 0)],
    ['unittest whose set-up errs', 'Ran 0 tests in 0.000s\n\nFAILED (errors=1)\n', counts(0, 1, 0)],
    ['vitest without files', 'No test files found, exiting with code 1\n', counts(0, 0, 0)],
    ['vitest without tests', ' Test Files  no tests\n      Tests  no tests\n', counts(0, 0, 0)],
    ['jest without tests', 'No tests found, exiting with code 1\n', counts(0, 0, 0)],
    ['TAP with nothing in it', 'TAP version 13\n1..0 # SKIP no database\n', counts(0, 0, 0)],
    [
      'JUnit with CDATA',
      '<testsuite><testcase name="a>b"/><testcase><system-out><![CDATA[<testcase/></testsuite>]]></system-out></testcase></testsuite>',
      counts(2, 0, 0),
    ],
  ])('%s', (_name, output, expected) => {
    expect(counted(output)).toEqual(expected)
  })
})

describe('F-11 several runs in one output', () => {
  test('npm workspaces add up', () => {
    const workspace = (name: string, passed: number): string =>
      `\n> ${name}@1.0.0 test\n> mocha\n\n\n  ${passed} passing (3ms)\n  1 pending\n\n`
    expect(counted(workspace('a', 2) + workspace('b', 5))).toEqual(counts(7, 0, 2))
  })

  test('different runners one after the other add up where each says that it starts', () => {
    expect(counted(sample('vitest') + sample('pytest') + sample('cargo'))).toEqual(counts(4, 5, 8))
  })

  test('a runner that reports on stderr adds to one on stdout', () => {
    expect(counted(sample('node-spec'), { stderr: sample('unittest') })).toEqual(counts(3, 3, 4))
  })

  test('two TAP documents add up', () => {
    expect(counted('1..1\nok 1 - a\n1..2\nok 1 - b\nnot ok 2 - c\n')).toEqual(counts(2, 1, 0))
  })

  test('one that does not say how many makes the whole unknown', () => {
    expect(counted(sample('vitest'), { stderr: 'ok  \texample.com/w/a\t0.003s\n' })).toBeNull()
  })
})

describe('F-11 never a guess', () => {
  test.each([
    '',
    'all tests passed\n',
    '12 passed\n',
    'Tests: 5 passed\n',
    'Tests:       9 passed, 4 total\n',
    ' Tests  3 passed (4)\n',
    'ok\nok\n',
    'ok 1 - a\nok 2 - b\n',
    '1..3\nok 1\nok 2\n',
    'test result: fine\n',
    'ℹ tests 5\nℹ pass 5\n',
    'ℹ tests 9\nℹ suites 0\nℹ pass 2\nℹ fail 1\nℹ cancelled 0\nℹ skipped 1\nℹ todo 1\n',
    'Ran 5 tests in 0.1s\n',
    '<testsuite tests="5"><testcase/>',
    'Total tests: Unknown\n     Passed: 2\n',
  ])('%j says nothing', output => {
    expect(counted(output)).toBeNull()
  })

  test('of an output that was cut, only a single final summary is believed', () => {
    expect(counted(sample('vitest'), { cut: true })).toEqual(counts(1, 1, 3))
    expect(counted(sample('cargo'), { cut: true })).toBeNull()
    expect(counted(sample('bats-tap'), { cut: true })).toBeNull()
    expect(counted(DOTNET, { cut: true })).toBeNull()
  })
})

describe('F-11 a test that prints a summary of its own', () => {
  const FAKES = [
    'ℹ tests 99\nℹ suites 0\nℹ pass 99\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\n',
    ' Test Files  1 passed (1)\n      Tests  99 passed (99)\n',
    'Test Suites: 1 passed, 1 total\nTests:       99 passed, 99 total\n',
    '  99 passing (1ms)\n',
    '==== 99 passed in 0.1s ====\n',
    'Ran 99 tests in 0.1s\n\nOK\n',
    'test result: ok. 99 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s\n',
    '99 examples, 0 failures\n',
    'OK (99 tests, 99 assertions)\n',
    '99 tests, 0 failures\n',
    'Test summary: total: 99, failed: 0, succeeded: 99, skipped: 0, duration: 0.9s\n',
    '1..2\nok 1\nok 2\n',
    '<testsuite><testcase/></testsuite>\n',
  ]
  const REAL = ['node-spec', 'vitest', 'jest', 'mocha', 'pytest', 'unittest', 'cargo', 'bats']

  test.each(REAL)('%s: the last summary wins over each', name => {
    const lines = sample(name).split('\n')
    const start =
      Math.max(
        0,
        lines.findIndex(line => /RUN|starts|^running/.test(line)),
      ) + 1
    for (const fake of FAKES) {
      const output = [...lines.slice(0, start), fake, ...lines.slice(start)].join('\n')
      expect([fake, counted(output)]).toEqual([fake, counted(sample(name))])
    }
  })

  test('points out of their order add nothing to TAP', () => {
    expect(counted('1..2\nok 1 - a\nok 7 - fake\nok 2 - b\n')).toEqual(counts(2, 0, 0))
  })

  test('what go did not start as a test does not count', () => {
    expect(counted(GO_VERBOSE.replace('PASS\nok', '--- PASS: TestFake (0.00s)\nPASS\nok'))).toEqual(counts(3, 2, 1))
  })
})

test.each([
  '<testcase a="',
  '<testcase>',
  "<testsuite><testcase a='>",
  'ok 1\n',
  '1..0\n',
  '    ok 1\n',
  '=== RUN   T\n--- PASS: T (0.00s)\n',
  'Test run summary: x\n',
  ' Tests  1 passed | ',
  'Tests: 1 a, ',
  '1 passed, ',
  '> a\n',
  '\u001b[31m',
  '\u001b]8;;',
  '{"Action":"pass","Package":"a","Test":"b"}\n',
  'a',
  ' ',
  '\n',
])('F-11 a MiB of %j is read to its end', piece => {
  const output = piece.repeat(Math.ceil((1 << 20) / piece.length))
  expect(() => counted(output)).not.toThrow()
  expect(() => counted(`${output}\n 1 passed (1)`)).not.toThrow()
})
