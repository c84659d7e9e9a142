import { describe, expect, test } from 'vitest'
import type { RunFact, TestCounts } from '../../../src/proof/facts.ts'
import { judge } from '../../../src/proof/judge.ts'
import { facts, ISOLATION, judged, output, run } from '../../support/proof-facts.ts'

const red = run('base', { exit: 1 })
const green = run('base')
const tests = (ran: number): TestCounts => ({ ran, passed: ran, failed: 0, skipped: 0 })
const guard = { kind: 'guard' as const }

describe('F-16 what runs say', () => {
  test.each<[string, RunFact[], object, string[]]>([
    ['red, then green', [red, run('result')], {}, []],
    ['red on the result', [red, run('result', { exit: 1 })], {}, ['error verify.red']],
    ['a crash on the result', [red, run('result', { exit: 139 })], {}, ['error verify.red']],
    ['a signal on the result', [red, run('result', { exit: null, signal: 'SIGSEGV', reason: 'signalled' })], {}, ['error verify.red']],
    ['not found on the result', [red, run('result', { exit: 127 })], {}, ['error verify.red']],
    ['a hang on the result', [red, run('result', { exit: null, reason: 'timeout' })], {}, ['error verify.timeout']],
    ['silence on the result', [red, run('result', { exit: null, reason: 'silent' })], {}, ['error verify.timeout']],
    ['a flood on the result', [red, run('result', { exit: null, reason: 'output-limit' })], {}, ['error verify.output-flood']],
    ['green on the base', [green, run('result')], {}, ['error verify.green-on-base']],
    ['green on the base of a guard', [green, run('result')], guard, []],
    ['red on the base of a guard', [red, run('result')], guard, ['error verify.guard-red']],
    ['half green', [red, run('half', { exit: 0 }), run('result')], {}, ['error verify.half-green']],
    ['half red', [red, run('half'), run('result')], {}, []],
    ['broken green of a guard', [green, run('broken', { exit: 0 }), run('result')], guard, ['error verify.insensitive']],
    ['broken green of a test-only change', [red, run('broken', { exit: 0 }), run('result')], {}, ['review verify.insensitive']],
    ['broken red', [green, run('broken'), run('result')], guard, []],
    [
      'row 45 one of three red',
      [red, run('result'), run('result', { n: 2, exit: 1 }), run('result', { n: 3 })],
      { repeat: 3 },
      ['error verify.flaky', 'error verify.red'],
    ],
    ['all red', [red, run('result', { exit: 1 }), run('result', { n: 2, exit: 1 })], { repeat: 2 }, ['error verify.red']],
    ['row 9 no test ran', [red, run('result', { tests: tests(0) })], {}, ['error verify.no-tests']],
    ['one test ran', [red, run('result', { tests: tests(1) })], {}, []],
    [
      'row 11 fewer tests than on a green base',
      [run('base', { tests: tests(3) }), run('result', { tests: tests(2) })],
      guard,
      ['error test.count-fell'],
    ],
    ['as many tests', [run('base', { tests: tests(3) }), run('result', { tests: tests(3) })], guard, []],
    ['fewer tests than on a red base', [run('base', { exit: 1, tests: tests(3) }), run('result', { tests: tests(2) })], {}, []],
    ['unknown counts', [run('base', { tests: tests(3) }), run('result')], guard, []],
  ])('%s', (_, runs, command, found) => expect(judged({ runs, command })).toEqual(found))

  test('§13 row 6 much output and exit 0 is fine', () => {
    expect(judged({ runs: [red, run('result', { stdout: output({ bytes: 5 << 20, cut: true }) })] })).toEqual([])
  })
})

describe('F-12 what was not run says nothing', () => {
  test.each<[string, Partial<RunFact>]>([
    ['exit 126', { exit: 126 }],
    ['exit 127', { exit: 127 }],
    ['a signal to the shell', { exit: null, signal: 'SIGKILL', reason: 'signalled' }],
    ['a flood', { exit: null, reason: 'output-limit' }],
    ['a hang', { exit: null, reason: 'timeout' }],
    ['not started', { exit: null, reason: 'not-started' }],
  ])('%s', (_, own) => {
    for (const name of ['base', 'half', 'broken'] as const) {
      const runs = [...(name === 'base' ? [] : [red]), run(name, own), run('result')]
      const { findings, causes } = judge(facts({ runs }))
      expect([findings.map(one => `${one.severity} ${one.id}`), causes]).toEqual([['info verify.not-run'], ['environment']])
    }
  })

  test('§13 row 15 a crash that the shell saw is red, and with leave a hang is', () => {
    expect(judged({ runs: [run('base', { exit: 139 }), run('result')] })).toEqual([])
    expect(judged({ runs: [run('base', { exit: null, reason: 'timeout' }), run('result')], command: { hang_is_red: true } })).toEqual([])
  })
})

describe('F-14, F-15 what was left out', () => {
  test.each([
    [{ name: 'half', why: 'tests-inside-code' }, 'info verify.half-skipped'],
    [{ name: 'broken', why: 'nothing-to-empty' }, 'review verify.insensitive'],
    [{ name: 'broken', why: 'test-only-without-sabotage' }, 'review verify.insensitive'],
  ] as const)('%j', (skipped, found) => expect(judged({ plan: { skipped: [skipped] } })).toEqual([found]))
})

describe('F-21 at proof time', () => {
  test.each<[string, string[]]>([
    ['true', ['error verify.trivial']],
    ['npm test || true', ['error verify.swallowed']],
    ['npm test | tee log', []],
  ])('rows 5 and 6: %j', (text, found) => expect(judged({ command: { text } })).toEqual(found))

  const manifest = (test: string): string => JSON.stringify({ scripts: { test, unit: 'jest --passWithNoTests' } })
  test.each<[string, string, string[]]>([
    ['npm test', 'jest --passWithNoTests', ['error verify.swallowed']],
    ['npm t', 'jest || true', ['error verify.swallowed']],
    ['CI=1 timeout 60 npm run test -- -w 1', 'echo ok', ['error verify.trivial']],
    ['yarn test', 'jest | tee log', ['error verify.swallowed']],
    ['npm ci && npm test', 'npm run unit', ['error verify.swallowed']],
    ['npm test', 'jest', []],
    ['npm run lint', 'jest || true', []],
    ['pnpm test', 'jest && echo ok', []],
  ])('row 9 %j with a new test script %j', (text, script, found) => {
    const files = { 'package.json': [manifest('jest'), manifest(script)] as [string, string] }
    const seen = judge(facts({ files, command: { text } })).findings.filter(one => one.id.startsWith('verify.'))
    expect(seen.map(one => `${one.severity} ${one.id}`)).toEqual(found)
    expect(seen.every(one => one.path === 'package.json')).toBe(true)
  })

  test.each<[string, string, boolean]>([
    ['make test', 'test:\n\t-jest\n', true],
    ['make test', 'test:\n\t@jest || true\n', true],
    ['make test', 'test: build\n\tjest || true\n', true],
    ['make', 'test:\n\t@echo ok\n', true],
    ['just test', 'test arg="x":\n  jest || true\n', true],
    ['make test', 'test:\n\t-rm -rf out\n\tjest\n\t@echo done\n', false],
    ['make test', 'test: unit lint\n\t@echo done\n', false],
    ['make test', 'NPM := npm\ntest:\n\t$(NPM) test\n', false],
    ['make test', 'test:\n\tjest\nclean:\n\trm -rf out || true\n', false],
  ])('row 9 %j with a new recipe %j', (text, recipe, isFound) => {
    const path = text.startsWith('just') ? 'justfile' : 'Makefile'
    const found = judged({ files: { [path]: ['a:\n', recipe] }, command: { text } })
    expect(found.some(one => one.startsWith('error verify.'))).toBe(isFound)
  })

  test('scripts that were gathered are looked at instead', () => {
    const verify_scripts = [{ path: 'package.json', name: 'test', text: 'jest || true', form: 'script' as const }]
    expect(judged({ verify_scripts })).toEqual(['error verify.swallowed package.json'])
  })
})

describe('processes and environment', () => {
  test('§13 row 9 a daemon that was ended is noted, one that got away is an error', () => {
    expect(judged({ runs: [red, run('result', { ended: ['node 12'] })], surroundings: { ended: ['sh 9'], escaped: ['x 3'] } })).toEqual([
      'error proc.escaped',
      'info proc.left-running',
      'info proc.left-running',
    ])
    expect(judged({ runs: [red, run('result', { escaped: ['node 12'] })] })).toEqual(['error proc.escaped'])
  })

  test('the network is noted', () => expect(judged({ command: { network: true } })).toEqual(['info env.network-used']))

  test('a weaker sandbox is noted once', () => {
    const isolation = { ...ISOLATION, degraded: 'no bubblewrap' }
    expect(judged({ runs: [run('base', { exit: 1, isolation }), run('result', { isolation })] })).toEqual(['info env.isolation-weak'])
  })

  test('row 44 red at another time', () => {
    expect(judged({ runs: [red, run('result'), run('vary', { exit: 1 })] })).toEqual(['review env.clock-dependence'])
    expect(judged({ runs: [red, run('result'), run('vary')] })).toEqual([])
    expect(judged({ runs: [red, run('result', { exit: 1 }), run('vary', { exit: 1 })] })).toEqual(['error verify.red'])
  })
})
