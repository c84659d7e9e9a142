import { describe, expect, test } from 'vitest'
import { compilePathPattern } from '../../../src/policy/patterns/path-pattern.ts'
import { ConfigBroken } from '../../../src/project/errors.ts'
import { settingsOf } from '../../../src/proof/settings/settings-of.ts'
import { DEFAULT_TESTS } from '../../../src/proof/settings/test-side.ts'
import { DEFAULT_OUTPUTS } from '../../../src/sandbox/scope/outputs.ts'

const CODEAUDIT = { name: 'codeaudit', score: 'json', threshold: 80, timeout_s: 600, network: false }
const SECAUDIT = { name: 'secaudit', score: 'json', threshold: 85, timeout_s: 600, network: false }
const DEFAULTS = {
  tests: DEFAULT_TESTS,
  outputs: DEFAULT_OUTPUTS,
  secret_allow: [],
  gates: [CODEAUDIT, SECAUDIT],
  vary: false,
  prepare: null,
  protect: [],
  watch_outside: [],
}

test('a base without settings has the defaults', () => {
  expect(settingsOf(null)).toEqual(DEFAULTS)
  expect(settingsOf('{ "mode": "plan", "no longer known": 1 }')).toEqual(DEFAULTS)
})

test('F-17 settings of the base add to the defaults and take nothing away', () => {
  const config = `{
    // judged by these
    "proof": {
      "tests": ["checks/**"], "protected": ["tools/verify/**"], "watch_outside": ["~/.toolrc"], "prepare": "make deps", "vary": true,
      "secret_allow": ["${'a'.repeat(64)}"],
      "gates": [{ "name": "lint", "command": "npm run lint" }, { "name": "cover", "command": "cover", "score": "json", "threshold": 70, "network": true, "timeout_s": 9 }],
    },
    "sandbox": { "outputs": ["gen/**"] },
  }`
  expect(settingsOf(config)).toEqual({
    tests: [...DEFAULT_TESTS, 'checks/**'],
    outputs: [...DEFAULT_OUTPUTS, 'gen/**'],
    secret_allow: ['a'.repeat(64)],
    gates: [
      CODEAUDIT,
      SECAUDIT,
      { name: 'lint', command: 'npm run lint', score: 'exit', threshold: 100, timeout_s: 600, network: false },
      { name: 'cover', command: 'cover', score: 'json', threshold: 70, timeout_s: 9, network: true },
    ],
    vary: true,
    prepare: 'make deps',
    protect: ['tools/verify/**'],
    watch_outside: ['~/.toolrc'],
  })
})

test('F-22 a project may raise the threshold of a built-in gate and not lower it', () => {
  const gates = settingsOf('{"proof.gates": [{"name": "codeaudit", "threshold": 95}, {"name": "secaudit", "threshold": 1}]}').gates
  expect(gates.map(({ threshold }) => threshold)).toEqual([95, 85])
})

test.each([
  '[]',
  '{',
  '{"proof": {"tests": "a"}}',
  '{"proof": {"tests": ["../a"]}}',
  '{"proof": {"secret_allow": ["hunter2"]}}',
  '{"proof": {"gates": [{"name": "own"}]}}',
  '{"proof": {"gates": [{"name": "own", "command": "x", "score": "json"}]}}',
  '{"proof": {"gates": [{"name": "own", "command": "x", "threshold": 101}]}}',
  '{"proof": {"gates": [{"name": "codeaudit", "command": "true"}]}}',
  '{"proof": {"gates": [{"name": "a", "command": "x"}, {"name": "a", "command": "y"}]}}',
])('settings that cannot be meant are refused, not ignored: %s', text => {
  expect(() => settingsOf(text)).toThrow(ConfigBroken)
})

describe('F-14 test-side files', () => {
  const patterns = DEFAULT_TESTS.map(pattern => compilePathPattern(pattern))
  test.each([
    ['a.test.ts', true],
    ['src/a.spec.js', true],
    ['test/a.ts', true],
    ['pkg/tests/deep/a.rs', true],
    ['src/__tests__/a.js', true],
    ['spec/a_spec.rb', true],
    ['lib/a_spec.rb', true],
    ['test_a.py', true],
    ['pkg/a_test.py', true],
    ['pkg/a_test.go', true],
    ['a/SumTest.java', true],
    ['a/SumTests.cs', true],
    ['src/__snapshots__/a.snap', true],
    ['a.snap', true],
    ['deep/a.snap', true],
    ['pkg/testdata/a.json', true],
    ['golden/a.txt', true],
    ['src/a.ts', false],
    ['src/latest.ts', false],
    ['src/contest/a.ts', false],
    ['testing.py', false],
    ['a/Testing.java', false],
  ])('%s: %s', (path, expected) => {
    expect(patterns.some(pattern => pattern.matches(path))).toBe(expected)
  })
})
