import { describe, expect, test } from 'vitest'
import { EMPTY_SACRED_FILE, loadSacredFile } from '../../src/policy/paths/sacred-file.ts'
import { readSmallYaml } from '../../src/policy/paths/small-yaml.ts'

const row = (...lines: string[]) => ['version: 1', 'rows:', ...lines].join('\n')

test('P-45 the file that a project starts with loads and adds nothing', () => {
  expect(loadSacredFile(EMPTY_SACRED_FILE)).toEqual({ kind: 'loaded', rows: [] })
})

test('P-45 a row of the file covers what its examples say', () => {
  const loaded = loadSacredFile(
    row(
      '  - id: ledger # money',
      '    paths: ["src/ledger/**", \'**/*ledger*.sql\']',
      '    except:',
      '      - src/ledger/docs/**',
      '    unlock: person',
      '    match: [src/ledger/book.ts]',
      '    not_match: [src/ledger/docs/a.md]',
    ),
  )
  expect(loaded).toMatchObject({ kind: 'loaded', rows: [{ id: 'ledger', unlock: 'person', except: ['src/ledger/docs/**'] }] })
})

describe('P-48 what makes the file unloadable', () => {
  test.each([
    ['another version', 'version: 2\nrows: []'],
    ['a failing example', row('  - id: a', '    paths: ["x/**"]', '    match: [y]')],
    ['an example that must not match', row('  - id: a', '    paths: ["x/**"]', '    match: [x/a]', '    not_match: [x/b]')],
    ['no examples', row('  - id: a', '    paths: ["x/**"]')],
    ['an unknown key', row('  - id: a', '    paths: ["x/**"]', '    match: [x/a]', '    allow: true')],
    ['the name of a built-in row', row('  - id: auth', '    paths: ["x/**"]', '    match: [x/a]')],
    ['an alias', row('  - id: a', '    paths: *others', '    match: [x/a]')],
    ['an absolute path', row('  - id: a', '    paths: ["/etc/**"]', '    match: [x/a]')],
    ['a text over several lines', 'version: 1\nrows: |\n  x'],
    ['nothing', ''],
  ])('P-48 %s', (_, text) => {
    expect(loadSacredFile(text).kind).toBe('unloadable')
  })
})

describe('small YAML', () => {
  test.each<[string, unknown]>([
    ["a: 1\nb: [x, \"y, z\", 'q''s']\nc:\n  - d: e\n    f: true\n  - g", { a: 1, b: ['x', 'y, z', "q's"], c: [{ d: 'e', f: true }, 'g'] }],
    ['# only\na: "# not a comment" # a comment', { a: '# not a comment' }],
    ['a:\n- x\n- y', { a: ['x', 'y'] }],
    ['a:\nb: ~', { a: null, b: null }],
  ])('reads %j', (text, value) => {
    expect(readSmallYaml(text)).toEqual(value)
  })

  test.each([
    'a: &x 1',
    'a: *x',
    'a: !t 1',
    'a: |\n  x',
    'a: {b: c}',
    '\ta: 1',
    'a: 1\na: 2',
    'a: b: c',
    '---\na: 1',
    'a: [b',
    'a: 1\n  b: 2',
    '- a\nb: c',
  ])('refuses %j', text => {
    expect(() => readSmallYaml(text)).toThrow(/line \d+: /)
  })
})
