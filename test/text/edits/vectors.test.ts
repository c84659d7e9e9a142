import { describe, expect, test } from 'vitest'
import { apply, block, content, patch } from './cases.ts'

describe('the vectors of the contract', () => {
  test('E-47 a line that occurs twice is ambiguous and both places are named', () => {
    expect(apply({ original: 'a = 1;\na = 1;\n', edit: block('a = 1;', 'a = 2;') })).toMatchObject({
      error: {
        code: 'ambiguous',
        count: 2,
        matches: [
          { line: 1, text: 'a = 1;' },
          { line: 2, text: 'a = 1;' },
        ],
      },
    })
  })

  test('E-22 a block that only occurs inside a line is not found, and told so', () => {
    expect(apply({ original: 'Foo (extra)\n', edit: block('Foo', 'Bar') })).toMatchObject({
      error: { code: 'not_found', near: { line: 1, reason: 'midline', similarity: 1 } },
    })
  })

  test('E-22 an object matches inside a line', () => {
    expect(apply({ original: 'Foo (extra)\n', edit: '{"search":"Foo","replace":"Bar"}' })).toMatchObject({
      ok: { content: 'Bar (extra)\n', format: 'json', edits: [{ match: 'exact' }] },
    })
  })

  test('E-24 a whole block that is less indented is shifted', () => {
    const edit = block('if (x) {\n    return 1;\n}', 'if (x) {\n    return 2;\n    return 3;\n}')
    expect(apply({ original: '    if (x) {\n        return 1;\n    }\n', edit })).toMatchObject({
      ok: {
        content: '    if (x) {\n        return 2;\n        return 3;\n    }\n',
        edits: [{ index: 0, match: 'shift', line: 1, old_lines: 3, new_lines: 4, count: 1 }],
        warnings: [{ code: 'shift', edit: 0 }],
      },
    })
  })

  test('E-24 blanks for tabs are mapped line by line, and the line ends stay', () => {
    const edit = block('    if (x) {\n        y();', '    if (z) {\n        w();')
    expect(apply({ original: '\tif (x) {\r\n\t\ty();\r\n\t}\r\n', edit })).toMatchObject({
      ok: { content: '\tif (z) {\r\n\t\tw();\r\n\t}\r\n', edits: [{ match: 'map' }] },
    })
  })

  test.each([
    [
      'E-36 replacement patterns are literal',
      'price = X\n',
      block('price = X', "price = $$5 and $& and $'"),
      "price = $$5 and $& and $'\n",
    ],
    ['E-10 an empty REPLACE deletes the lines', 'a\nold\nb', block('old', ''), 'a\nb'],
    ['E-34 a file without a final line break keeps it so', 'a\nb', block('b', 'c'), 'a\nc'],
    ['E-33 the BOM and the line ends survive', '\uFEFFa\r\nb\r\n', block('a', 'x\ny'), '\uFEFFx\r\ny\r\nb\r\n'],
    ['E-16 on one line only the first match is replaced', 'a a a', 's/a/b/', 'b a a'],
    ['E-15 a regular expression with g replaces all', 'port = 3000, t = 5000', 's/\\d+/N/g', 'port = N, t = N'],
    ['E-12 a removed line may look like a header', '-- x\ny\n', '@@ -1,2 +1,1 @@\n--- x\n y', 'y\n'],
    ['E-24 numbered lines stand at their numbers', 'x\ny\nx\n', block('3 | x', 'z'), 'x\ny\nz\n'],
    ['E-11 without a closer an underlined title is the whole file', 'T\n=\n', '=====\nTitle\n=====\n', '=====\nTitle\n=====\n'],
    ['E-14 a third text is no flag', 'a\n', 's/foo/class/bar/', '!malformed'],
    ['E-17 a dollar group is malformed', 'x', 's/(x)/$1/', '!malformed'],
    ['E-7 a block that was cut off touches nothing', 'const a = 1;\n', '<<<<<<< SEARCH\nconst a = 1;\n', '!malformed'],
    ['E-8 prose before a complete block is ambiguous', 'a\n', `Here you go:\n${block('a', 'b')}`, '!ambiguous_format'],
    ['E-9 a search in a missing file creates nothing', null, block('a', 'b'), '!missing_file'],
    ['E-16 matches on two lines are ambiguous', 'a\na\n', 's/a/b/', '!ambiguous'],
  ])('%s', (_, original, edit, wanted) => {
    expect(content(original, edit)).toBe(wanted)
  })

  test('E-17 the message offers the right spelling', () => {
    expect(apply({ original: 'x', edit: 's/(x)/$1/' })).toMatchObject({
      error: { code: 'malformed', message: expect.stringContaining('\\1') },
    })
  })

  test('E-8 the same text is the content of a file that is not there', () => {
    const edit = `Here you go:\n${block('a', 'b')}`
    expect(apply({ original: null, edit })).toMatchObject({ ok: { action: 'create', format: 'whole', content: edit } })
  })

  test('E-5 a failing second block leaves everything as it was', () => {
    expect(apply({ original: 'a\nb\n', edit: block('a', 'c') + block('zzz', 'd') })).toMatchObject({
      error: { code: 'not_found', edit: 1 },
    })
  })

  test('E-39 Add File on an existing file takes its place', () => {
    expect(apply({ original: 'a\n', edit: patch('*** Add File: f', '+b') })).toMatchObject({
      ok: { content: 'b\n', action: 'update', path: 'f', warnings: [{ code: 'overwrote' }] },
    })
  })
})
