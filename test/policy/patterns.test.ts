import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compiledScope, owns } from '../../src/policy/layers/brief.ts'
import { expandBraces } from '../../src/policy/patterns/braces.ts'
import { compileHostPattern, HostPatternRefused } from '../../src/policy/patterns/host-pattern.ts'
import { compilePathPattern, PatternRefused } from '../../src/policy/patterns/path-pattern.ts'
import { compileWildcard } from '../../src/policy/patterns/wildcard.ts'
import { matchesAny, parseGlobs } from '../../src/sandbox/scope/glob.ts'

test.each([
  ['a{b,c}d', ['abd', 'acd']],
  ['{a,b}{c,d}', ['ac', 'bc', 'ad', 'bd']],
  ['a{b,{c,d}}', ['ab', 'ac', 'ad']],
  ['{a}', ['{a}']],
  ['a{b', ['a{b']],
  ['{a,}', ['a', '']],
])('P-18 %s stands for %j', (pattern, alternatives) => {
  expect(expandBraces(pattern)).toEqual(alternatives)
})

test('P-18 a pattern with too many alternatives is refused', () => {
  expect(() => expandBraces('{a,b}'.repeat(9))).toThrow(/alternatives/)
})

test('P-18 a wildcard agrees with a regular expression on random words', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 12 })
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 8 })
  fc.assert(
    fc.property(pattern, word, (glob, text) => {
      const reference = new RegExp(`^${glob.replaceAll('?', '.').replaceAll('*', '.*')}$`)
      expect(compileWildcard(glob, { classes: false })(text)).toBe(reference.test(text))
    }),
    { numRuns: 1000 },
  )
})

test('P-18 a wildcard made to be slow is not', () => {
  expect(compileWildcard(`${'*a'.repeat(200)}b`, { classes: false })('a'.repeat(5000))).toBe(false)
})

describe.each<[string, string[], string[]]>([
  ['docs/**', ['docs/a.md', 'docs/a/b.md', 'docs', 'docs/.hidden'], ['doc', 'docsx/a', 'a/docs/b']],
  ['docs/', ['docs/a', 'docs/a/b'], ['docsx']],
  ['**/*.ts', ['a.ts', 'a/b.ts', 'a/.b.ts'], ['a.tsx', 'ts']],
  ['src/*', ['src/a', 'src/.env'], ['src/a/b']],
  ['src/**/test/*.js', ['src/test/a.js', 'src/a/b/test/c.js'], ['src/test/a/b.js']],
  ['[a-c]?.{js,ts}', ['ax.js', 'cz.ts'], ['dx.js', 'a.js', 'ax.jsx']],
  ['[!a]*', ['b', 'zz'], ['a', 'ab']],
  ['a[*]b', ['a*b'], ['axb']],
  ['**', ['a', 'a/b/c', ''], []],
])('P-18 %s', (pattern, hits, misses) => {
  test.each(hits.map(path => [path]))('P-18 matches %j', path => {
    expect(compilePathPattern(pattern).matches(path)).toBe(true)
  })
  test.each(misses.map(path => [path]))('P-18 does not match %j', path => {
    expect(compilePathPattern(pattern).matches(path)).toBe(false)
  })
})

test.each(['/etc/x', '../x', 'a/../b', '!a', '', 'C:\\x'])('P-18 %j is refused', pattern => {
  expect(() => compilePathPattern(pattern)).toThrow(PatternRefused)
})

test.each<[string, string, boolean, boolean]>([
  ['src/**', 'src', true, true],
  ['src/ui/**', 'src/ui/a', true, true],
  ['src/ui/**', 'src', false, true],
  ['src/*', 'src', false, true],
  ['src/*.ts', 'lib', false, false],
  ['**/a/**', 'x', false, true],
])('P-10 %s and everything below %s: covers it %s, may match there %s', (pattern, path, covers, may) => {
  const compiled = compilePathPattern(pattern)
  expect([compiled.coversBelow(path), compiled.mayMatchBelow(path)]).toEqual([covers, may])
})

test.each<[string, string, boolean, boolean]>([
  ['x.io', 'x.io', true, true],
  ['x.io', 'X.IO.', true, true],
  ['x.io', 'a.x.io', false, false],
  ['*.x.io', 'a.b.x.io', true, true],
  ['*.x.io', 'x.io', false, false],
  ['*.x.io', 'evilx.io', false, false],
  ['x.io:8080', 'x.io:8080', true, true],
  ['x.io:8080', 'x.io', false, false],
  ['x.io', 'x.io:8080', false, true],
])('P-18 host %s and %s: allows %s, forbids %s', (pattern, host, allows, forbids) => {
  const compiled = compileHostPattern(pattern)
  expect([compiled.matches(host, false), compiled.matches(host, true)]).toEqual([allows, forbids])
})

test.each(['*', 'a*.io', 'http://x.io', 'x.io/a', ''])('P-18 %j is no host', pattern => {
  expect(() => compileHostPattern(pattern)).toThrow(HostPatternRefused)
})

test('P-10 what a brief owns is what a sandbox opens, for any pattern', () => {
  const pattern = fc.string({
    unit: fc.constantFrom('a', 'b', '*', '**', '?', '/', '{a,b}', '{', '}', '[ab]', '.'),
    minLength: 1,
    maxLength: 6,
  })
  const path = fc.string({ unit: fc.constantFrom('a', 'b', '/', '.'), minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(pattern, path, (text, name) => {
      const [owned, globs] = [compiledScope({ files_owned: [text] }), parseGlobs([text])]
      expect(matchesAny(globs, name)).toBe(owns(owned, name, false))
      expect(globs.some(glob => glob.coversAllBelow(name))).toBe(owns(owned, name, true))
    }),
  )
})
