import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { CODE_RULES } from '../../../src/proof/findings/code/rules.ts'
import { SECRET_RULES } from '../../../src/proof/findings/secrets/rules.ts'
import { TEST_RULES } from '../../../src/proof/findings/tests/rules.ts'
import { factsOf, found } from './facts.ts'
import { OTHERS } from './honest/others.ts'
import { SCRIPT } from './honest/script.ts'

const RULES = [...TEST_RULES, ...CODE_RULES, ...SECRET_RULES]
const HONEST = Object.entries({ ...SCRIPT, ...OTHERS })

test.each(HONEST)('%s: nothing is found', (_, edit) => {
  expect(found(RULES, factsOf(edit))).toEqual([])
})

test.each(HONEST)('%s, with other line ends: nothing is found', (_, edit) => {
  const crlf = Object.entries(edit).map(([path, sides]) => [path, sides.map(text => text?.replaceAll('\n', '\r\n') ?? null)])
  expect(found(RULES, factsOf(Object.fromEntries(crlf)))).toEqual([])
})

test('a file that only got other line ends has no new line', () => {
  const text = "it.skip('a', () => {\n  expect(x).toBe(1) // eslint-disable-line\n})\n"
  expect(found(RULES, factsOf({ 'a.test.ts': [text, text.replaceAll('\n', '\r\n')] }))).toEqual([])
})

test('whatever the texts are, the rules answer and name existing lines', () => {
  const pieces = HONEST.flatMap(([, edit]) => Object.values(edit).flatMap(sides => sides.flatMap(text => text?.match(/\s+|\w+|./g) ?? [])))
  const text = fc
    .array(fc.constantFrom(...pieces, '\u202e', '\ufeff', '\ud800', 'it.skip(', 'return', 'assert', '#[test]', '"""', '<<EOF'), {
      maxLength: 60,
    })
    .map(parts => parts.join(''))
  const path = fc.constantFrom(
    'src/a.ts',
    'a.test.tsx',
    'test_a.py',
    'a.py',
    'a_test.go',
    'src/a.rs',
    'ATest.java',
    'a_spec.rb',
    'ATest.php',
    'test/a.bats',
    'a.sh',
    'x.md',
  )
  fc.assert(
    fc.property(path, fc.option(text), fc.option(text), (path, before, after) => {
      const lines = RULES.flatMap(rule => rule(factsOf({ [path]: [before, after] }))).map(({ line }) => line ?? 1)
      expect(Math.max(1, ...lines)).toBeLessThanOrEqual((after ?? '').split('\n').length)
    }),
    { numRuns: Number(process.env['QED_PROPERTY_RUNS'] ?? 1000) },
  )
})
