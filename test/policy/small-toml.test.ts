import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from '../../src/kernel/json.ts'
import { readSmallToml, tomlLeaves } from '../../src/policy/paths/small-toml.ts'

const value = (text: string): unknown => {
  const read = readSmallToml(text)
  return read === null ? null : JSON.parse(canonicalJson(read))
}

describe('TOML is read by value', () => {
  test.each<[string, unknown]>([
    ['', {}],
    ['a = "x" # said', { a: 'x' }],
    ["a = 'C:\\x'", { a: 'C:\\x' }],
    ['a.b = true\na.c = false', { a: { b: true, c: false } }],
    ['"a.b" = 1', { 'a.b': { literal: '1' } }],
    ['a = [1, # one\n 2,\n]', { a: [{ literal: '1' }, { literal: '2' }] }],
    ['a = { b = "c", d = ["e"] }', { a: { b: 'c', d: ['e'] } }],
    ['[a.b]\nc = 1\n[a]\nd = 1', { a: { b: { c: { literal: '1' } }, d: { literal: '1' } } }],
    ['[[p]]\nn = "a"\n[p.s]\nt = "git"\n[[p]]\nn = "b"', { p: [{ n: 'a', s: { t: 'git' } }, { n: 'b' }] }],
    ['a = """\nx\\\n   y\n"z" """', { a: 'xy\n"z" ' }],
    ["a = '''it''''\n", { a: "it'" }],
    ['a = "\\u00e9\\t\\""', { a: 'é\t"' }],
    ['at = 1979-05-27 07:32:00Z', { at: { literal: '1979-05-27 07:32:00Z' } }],
    ["[target.'cfg(unix)'.dependencies]\nx = '1'\r\n", { target: { 'cfg(unix)': { dependencies: { x: '1' } } } }],
    ['__proto__ = "x"', JSON.parse('{"__proto__":"x"}')],
  ])('%j', (text, expected) => expect(value(text)).toEqual(expected))
})

test.each([
  'a',
  'a =',
  'a = x',
  'a = "x',
  'a = 1 b = 2',
  '[a',
  '[a]\n[a]',
  'a = 1\na = 2',
  'a = 1\n[a]',
  'a = [1',
  'a = "\\q"',
  `a = ${'['.repeat(1000)}`,
])('what is no TOML is not read: %j', text => expect(readSmallToml(text)).toBeNull())

test('leaves are named by their whole key', () => {
  expect([...tomlLeaves(readSmallToml('[a.b]\nc = "x"\nd = [{ e = "y" }]') ?? {}).keys()]).toEqual(['a.b.c', 'a.b.d'])
})

test('no text makes the reader throw', () => {
  const pieces = fc.constantFrom(
    'a',
    '=',
    '[',
    ']',
    '[[',
    ']]',
    '{',
    '}',
    '"',
    "'",
    '"""',
    ',',
    '.',
    '\\',
    '\n',
    ' ',
    '#',
    '1',
    'true',
    '\\u00',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), parts => {
      expect(() => readSmallToml(parts.join(''))).not.toThrow()
    }),
    { numRuns: 2000 },
  )
})
