import { describe, expect, test } from 'vitest'
import type { Change, RunFact } from '../../src/proof/facts.ts'
import { matchesAny } from '../../src/proof/judges/matching.ts'
import { colourOf } from '../../src/proof/judges/run-colour.ts'
import { baseKey, sameIsolation } from '../../src/proof/runs/base-results.ts'
import { inlineTests } from '../../src/proof/runs/inline-tests.ts'
import { type PlanFacts, planRuns } from '../../src/proof/runs/plan.ts'
import { brokenTree, halfTree } from '../../src/proof/runs/trees.ts'
import { variedEnvironment } from '../../src/proof/runs/vary.ts'
import type { TreeEntry } from '../../src/sandbox/git/tree.ts'
import { hostIsolation } from '../../src/sandbox/isolation/host.ts'

const side = (text: string) => ({ mode: '100644', oid: text, size: text.length, binary: false, text })
const change = (path: string, before: string | null = 'old', after: string | null = 'new'): Change => ({
  path,
  kind: before === null ? 'added' : after === null ? 'deleted' : 'changed',
  before: before === null ? null : side(before),
  after: after === null ? null : side(after),
})
const tree = (files: Record<string, string>): Map<string, TreeEntry> =>
  new Map(Object.entries(files).map(([path, oid]) => [path, { path, oid, mode: oid === 'link' ? '120000' : '100644' }]))
const isTestSide = matchesAny(['**/*.test.*', '**/test/**'])

function plan(changes: Change[], more: Partial<PlanFacts> = {}) {
  return planRuns({
    command: { kind: 'red-green', sabotage: null },
    owned: null,
    changes,
    result: tree({ 'src/a.js': '1', 'src/b.js': '2', 'src/link': 'link', 'test/a.js': '3', 'package.json': '4' }),
    isTestSide,
    isProtected: path => path === 'package.json',
    vary: false,
    ...more,
  })
}
const guard = (sabotage: string[] | null = null) => ({ kind: 'guard' as const, sabotage })

describe('§3 which runs are made', () => {
  const code = change('src/a.js')
  const check = change('test/a.js')
  test.each([
    ['code alone', [code], {}, ['base', 'result'], [], []],
    ['code and test', [code, check], {}, ['base', 'half', 'result'], [], []],
    ['code and test, as a guard', [code, check], { command: guard() }, ['base', 'broken', 'result'], ['src/a.js'], []],
    ['varied', [code], { vary: true }, ['base', 'result', 'vary'], [], []],
    ['tests alone, nothing named to empty', [check], {}, ['base', 'result'], [], [{ name: 'broken', why: 'test-only-without-sabotage' }]],
    [
      'tests alone, with something to empty',
      [check],
      { command: { kind: 'red-green' as const, sabotage: ['src/*.js'] } },
      ['base', 'broken', 'result'],
      ['src/a.js', 'src/b.js'],
      [],
    ],
    [
      'a guard with a scope',
      [code],
      { command: guard(), owned: ['src/**', 'package.json'] },
      ['base', 'broken', 'result'],
      ['src/a.js', 'src/b.js'],
      [],
    ],
    ['a guard over nothing changed', [], { command: guard() }, ['base', 'broken', 'result'], ['src/a.js', 'src/b.js'], []],
    [
      'a guard whose scope holds no code',
      [check],
      { command: guard(), owned: ['test/**', 'package.json'] },
      ['base', 'result'],
      [],
      [{ name: 'broken', why: 'nothing-to-empty' }],
    ],
    [
      'tests inside the code',
      [change('src/lib.rs', 'fn f() {}', 'fn f() {}\n#[cfg(test)]\nmod tests { }'), check],
      {},
      ['base', 'result'],
      [],
      [{ name: 'half', why: 'tests-inside-code' }],
    ],
    [
      'code with tests inside that stay as they are',
      [change('src/m.py', 'def f():\n  """\n  >>> f()\n  """', 'def f():\n  """\n  >>> f()\n  """\n  return 1'), check],
      {},
      ['base', 'half', 'result'],
      [],
      [],
    ],
    ['nothing', [], {}, ['base', 'result'], [], []],
  ])('of %s', (_what, changes, more, required, sabotage, skipped) => {
    expect(plan(changes, more)).toEqual({ required, sabotage, skipped })
  })

  test('F-14 doctests and test modules are seen, words about them are not', () => {
    expect(inlineTests('a.py', 'x = 1 # >>> no')).toBe('')
    expect(inlineTests('a.rs', '// no test here\n')).toBe('')
    expect(inlineTests('a.rs', '#[tokio::test]\nasync fn t() {}')).toBe('\n#[tokio::test]')
    expect(inlineTests('a.js', '>>> 1')).toBe('')
  })
})

describe('the trees that nobody produced', () => {
  test('half is the base with the tests of the result: added, changed, deleted', () => {
    const base = tree({ 'src/a.js': '1', 'test/old.js': 'o', 'test/gone.js': 'g' })
    const result = tree({ 'src/a.js': '2', 'src/new.js': 'n', 'test/old.js': 'O', 'test/new.js': 'N' })
    expect(halfTree(base, result, isTestSide).map(({ path, oid }) => `${path} ${oid}`)).toEqual([
      'src/a.js 1',
      'test/old.js O',
      'test/new.js N',
    ])
  })

  test('where a test stands in the way of a file of the base, or the other way round, the test wins', () => {
    const base = tree({ 'a/test': 'file', 'b.test.d/x.js': 'x', keep: 'k' })
    const result = tree({ 'a/test/t.js': 't', 'b.test.d': 'f' })
    const half = halfTree(base, result, path => path === 'a/test/t.js' || path === 'b.test.d')
    expect(half.map(({ path }) => path)).toEqual(['keep', 'a/test/t.js', 'b.test.d'])
  })

  test('broken is the result with some files emptied', () => {
    expect(brokenTree(tree({ a: '1', b: '2' }), ['a'], 'empty').map(({ path, oid }) => [path, oid])).toEqual([
      ['a', 'empty'],
      ['b', '2'],
    ])
  })
})

describe('F-12 what a run says', () => {
  const rows: [RunFact['reason'], number | null, string, string, string][] = [
    // reason, exit → on base, on base of a hang, on the result
    ['exited', 0, 'green', 'green', 'green'],
    ['exited', 1, 'red', 'red', 'red'],
    ['exited', 139, 'red', 'red', 'red'],
    ['exited', 126, 'not-run', 'not-run', 'red'],
    ['exited', 127, 'not-run', 'not-run', 'red'],
    ['signalled', null, 'not-run', 'not-run', 'red'],
    ['output-limit', null, 'not-run', 'not-run', 'red'],
    ['timeout', null, 'not-run', 'red', 'red'],
    ['not-started', null, 'not-run', 'not-run', 'not-run'],
    ['aborted', null, 'not-run', 'not-run', 'not-run'],
  ]
  test.each(rows)('%s %s: %s on the base, %s where a hang is to be cured, %s on the result', (reason, exit, base, hang, result) => {
    for (const name of ['base', 'half', 'broken'] as const) {
      expect(colourOf({ name, reason, exit }, { hang_is_red: false })).toBe(base)
      expect(colourOf({ name, reason, exit }, { hang_is_red: true })).toBe(hang)
    }
    for (const name of ['result', 'vary'] as const) expect(colourOf({ name, reason, exit }, { hang_is_red: true })).toBe(result)
  })
})

test('F-13 a kept base counts for the same tree, command, shell, layer and walls only', () => {
  const one = { tree: 't', shell: 'bash', command: { text: 'x', timeout_s: 1, network: false }, layer: null }
  const others = [{ tree: 'u' }, { shell: 'sh' }, { layer: 'l' }, { command: { ...one.command, text: 'y' } }]
  expect(new Set([one, ...others.map(other => ({ ...one, ...other }))].map(baseKey)).size).toBe(5)
  const host = hostIsolation({ planned: 'proof', degraded: null })
  expect(sameIsolation(host, { ...host, writable: ['/elsewhere'], probe: { ...host.probe, at: 'later' } })).toBe(true)
  expect(sameIsolation(host, { ...host, network: 'off' })).toBe(false)
})

test('a varied run has another zone, and what the machine has of locale and time', () => {
  expect(variedEnvironment(() => false)).toEqual({ TZ: 'Pacific/Kiritimati' })
  expect(variedEnvironment(path => path.includes('tr_TR') || path.startsWith('/usr/lib/faketime'))).toEqual({
    TZ: 'Pacific/Kiritimati',
    LC_ALL: 'tr_TR.UTF-8',
    LD_PRELOAD: '/usr/lib/faketime/libfaketime.so.1',
    FAKETIME: '+400d',
  })
})
