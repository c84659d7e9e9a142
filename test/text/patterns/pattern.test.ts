import { describe, expect, test } from 'vitest'
import { matchStrings } from '../../../src/text/patterns/match-strings.ts'
import { patternKind } from '../../../src/text/patterns/pattern.ts'
import { previewLines } from '../../../src/text/patterns/preview.ts'
import { selectEntries } from '../../../src/text/patterns/select.ts'

function matches(pattern: string, string: string): boolean | string {
  const outcome = matchStrings({ pattern, strings: [string] })
  return outcome.kind === 'ok' ? (outcome.value.results[0]?.matched ?? false) : outcome.error.code
}

describe('paths', () => {
  test.each<[string, string, boolean | string]>([
    ['*', 'known://x/y', true],
    ['known://*', 'known://a/b', true],
    ['src/*.js', 'src/a/b.js', false],
    ['src/*.js', 'src/a.js', true],
    ['**/*.test.*', 'src/foo.test.js', true],
    ['**/*.test.*', 'foo.test.js', true],
    ['[abc]*.js', 'delta.js', false],
    ['[abc]*.js', 'alpha.js', true],
    ['src/[id]*.tsx', 'src/[id]*.tsx', true],
    ['https://x.y/?q=1', 'https://x.y/?q=1', true],
    ['src/', 'src/a/b.ts', true],
    ['src/', 'srcs/a', false],
    ['src/', 'src', false],
    ['/(/', 'x', 'bad_pattern'],
    ['**', 'a/b', true],
    ['**', 'known://a', true],
    ['*.js', 'known://a.js', false],
    ['*://x', 'known://x', true],
    ['*://x', 'x', false],
    ['known://a?c', 'known://a/c', true],
    ['a/**/b', 'a/b', true],
    ['a/**/b', 'a/x/y/b', true],
    ['a/**/b', 'a/xb', false],
    ['a**b', 'a/x/b', true],
    ['a**/b', 'ab', false],
    ['a?c', 'a/c', false],
    ['a?c', 'a😀c', true],
    ['*.js', '.hidden.js', true],
    ['*.JS', 'a.js', false],
    ['*.{js,ts}', 'a.js', false],
    ['[!a]*', 'b', true],
    ['[^a]*', 'a', false],
    ['[a-c]?', 'b1', true],
    ['[]a]*', ']x', true],
    ['[a*', '[ab', true],
    ['\\*?', '*x', true],
    ['\\*?', 'xx', false],
    ['src/[id].tsx', 'src/[id].tsx', true],
    ['src/[id].tsx', 'src/i.tsx', false],
    ['c++', 'c++', true],
    ['log{a,b}.txt', 'loga.txt', false],
    ['/usr/lib/', '/usr/lib/x/y', true],
    ['/\\.ts$/', 'src/a.ts', true],
    ['/^src/i', 'SRC/a', true],
    ['/abc/', '/abc/', true],
    ['*a*b*c', 'xaxbxbxc', true],
    ['**/a/**/b/*.c', 'x/a/y/a/b/z.c', true],
    ['**/x*/y', 'xa/z/xb/y', true],
    ['', '', true],
  ])('E-56 %s on %s is %s', (pattern, string, wanted) => {
    expect(matches(pattern, string)).toBe(wanted)
  })

  test.each<[string, 'path' | 'text', string]>([
    ['/usr/lib/', 'path', 'glob'],
    ['/usr/lib/', 'text', 'regex'],
    ['src/[id].tsx', 'path', 'literal'],
    ['c++', 'path', 'literal'],
    ['log{a,b}.txt', 'path', 'literal'],
    ['$.a', 'path', 'literal'],
    ['//item', 'path', 'literal'],
    ['what?', 'text', 'literal'],
    ['TODO*', 'text', 'literal'],
    ['what?', 'path', 'glob'],
    ['/a/g', 'path', 'regex'],
    ['/a\\/', 'path', 'glob'],
    ['/a\\/', 'text', 'literal'],
    ['\\*', 'path', 'literal'],
    ['/a/x', 'path', 'literal'],
  ])('E-54 %s in mode %s is a %s', (pattern, mode, wanted) => {
    expect(patternKind(pattern, mode)).toBe(wanted)
  })

  test('E-55 a string equal to the pattern matches whatever the kind', () => {
    expect(matches('/^\\d+$/', '/^\\d+$/')).toBe(true)
    expect(matchStrings({ pattern: 'a[b', strings: ['a[b'], kind: 'glob' })).toMatchObject({ value: { results: [{ matched: true }] } })
  })
})

describe('texts', () => {
  test.each<[string, string, unknown]>([
    ['what?', 'say what? now', { matched: true, index: 4, match: 'what?' }],
    ['/w\\w+/', 'say what', { matched: true, index: 4, match: 'what' }],
    ['/\\d+/', 'none', { matched: false }],
    ['😀', 'a😀', { matched: true, index: 1, match: '😀' }],
    ['Case', 'case', { matched: false }],
  ])('E-53 %s in %s', (pattern, string, wanted) => {
    expect(matchStrings({ pattern, strings: [string], mode: 'text' })).toMatchObject({ kind: 'ok', value: { results: [wanted] } })
  })

  test('E-54 a glob has no meaning in a text', () => {
    expect(matchStrings({ pattern: 'a*', strings: ['a'], mode: 'text', kind: 'glob' })).toMatchObject({ error: { code: 'bad_pattern' } })
  })

  test('E-57 g and y keep no place between strings', () => {
    expect(matchStrings({ pattern: '/a/gy', strings: ['xa', 'xa', 'a'], mode: 'text' })).toMatchObject({
      value: {
        results: [
          { matched: true, index: 1 },
          { matched: true, index: 1 },
          { matched: true, index: 0 },
        ],
      },
    })
  })

  test('E-57 flags that do not go together are a bad pattern', () => {
    expect(matchStrings({ pattern: '/a/uv', strings: ['a'] })).toMatchObject({ error: { code: 'bad_pattern' } })
  })
})

describe('bounds', () => {
  test('E-60 a pattern, strings and bytes beyond the bounds are too large', () => {
    expect(matchStrings({ pattern: 'a'.repeat(1025), strings: [] })).toMatchObject({ error: { code: 'too_large' } })
    expect(matchStrings({ pattern: 'a', strings: Array.from({ length: 10_001 }, () => '') })).toMatchObject({
      error: { code: 'too_large' },
    })
    expect(matchStrings({ pattern: 'a', strings: ['ü'.repeat(5 * 1024 * 1024 + 1)] })).toMatchObject({ error: { code: 'too_large' } })
  })

  test('E-60 a runaway expression ends, and the next call works', () => {
    const start = performance.now()
    expect(matchStrings({ pattern: '/(a+)+$/', strings: ['a', `${'a'.repeat(40)}b`] })).toMatchObject({ error: { code: 'timeout' } })
    expect(performance.now() - start).toBeLessThan(1500)
    expect(matchStrings({ pattern: '/(a+)+$/', strings: ['aaa'] })).toMatchObject({ kind: 'ok' })
  })

  test('E-60 a glob of many stars ends at once', () => {
    const start = performance.now()
    expect(matches(`${'*a'.repeat(500)}b`, 'a'.repeat(2000))).toBe(false)
    expect(matches(`${'**/a*'.repeat(200)}b`, 'a/'.repeat(1000))).toBe(false)
    expect(performance.now() - start).toBeLessThan(500)
  })
})

describe('selection and preview', () => {
  const entries = [
    { path: 'src/b.ts', body: 'TODO later', tokens: 3 },
    { path: 'src/a.ts', body: 'done', tokens: 1 },
    { path: 'known://x', body: 'TODO', tokens: 2 },
  ]
  const paths = (selection: { path?: string; body?: string }): unknown => {
    const outcome = selectEntries(entries, selection)
    return outcome.kind === 'ok' ? outcome.value.map(({ path }) => path) : outcome.error.code
  }

  test('E-58 path and body together select what satisfies both', () => {
    expect(paths({ path: 'src/*' })).toEqual(['src/b.ts', 'src/a.ts'])
    expect(paths({ body: 'TODO' })).toEqual(['src/b.ts', 'known://x'])
    expect(paths({ path: 'src/*', body: 'TODO' })).toEqual(['src/b.ts'])
    expect(paths({ path: 'src/*', body: 'todo' })).toEqual([])
    expect(paths({ path: 'src/*', body: '/todo/i' })).toEqual(['src/b.ts'])
    expect(paths({ body: '/(/' })).toBe('bad_pattern')
  })

  test('E-59 a preview lists by path what the same call would touch', () => {
    expect(previewLines(entries)).toEqual(['known://x (2)', 'src/a.ts (1)', 'src/b.ts (3)'])
  })

  test('E-59 at most two hundred, then the count of the rest', () => {
    const many = Array.from({ length: 203 }, (_, i) => ({ path: `p${String(i).padStart(3, '0')}`, tokens: i }))
    const lines = previewLines(many)
    expect([lines.length, lines[0], lines[199], lines[200]]).toEqual([201, 'p000 (0)', 'p199 (199)', 'and 3 more'])
  })
})
