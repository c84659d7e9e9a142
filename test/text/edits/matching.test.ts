import { describe, expect, test } from 'vitest'
import type { EditInput, Match, Near } from '../../../src/text/edits/types.ts'
import { cpuTime } from '../../support/cpu-time.ts'
import { apply, block, patch } from './cases.ts'

function told(
  original: string | null,
  edit: EditInput['edit'],
  more: Partial<EditInput> = {},
): [content: string | null, match?: Match | undefined] {
  const result = apply({ original, edit, ...more })
  return 'ok' in result ? [result.ok.content, result.ok.edits.at(-1)?.match] : [`!${result.error.code}`]
}

describe('the levels at which lines are the same', () => {
  test.each<[string, string, EditInput['edit'], string, Match?]>([
    ['E-24 exact comes before any tolerance', 'a\n a\n', block('a', 'b'), 'b\n a\n', 'exact'],
    ['E-24 numbers with a bar', 'x\ny\n', block('1 | x\n2 | y', '1 | x\n2 | z'), 'x\nz\n', 'numbered'],
    ['E-24 numbers with a tab, new lines as written', 'x\ny\n', block('2\ty', 'z'), 'x\nz\n', 'numbered'],
    ['E-24 numbers with an arrow', 'x\ny\n', block('1→x', '1→w'), 'w\ny\n', 'numbered'],
    ['E-24 numbers with a colon', 'x\ny\n', block('1: x', 'w'), 'w\ny\n', 'numbered'],
    ['E-24 numbers that stand elsewhere do not count', 'x\ny\n', block('2 | x', 'z'), '!not_found'],
    ['E-24 numbers with two separators do not count', 'x\ny\n', block('1 | x\n2|y', 'z'), '!not_found'],
    ['E-24 numbers that do not ascend by one do not count', 'x\ny\nz\n', block('1 | x\n3 | z', 'w'), '!not_found'],
    ['E-24 prefixes stay if one new line has none', 'x\ny\n', block('1 | x', '1 | w\nv'), '1 | w\nv\ny\n', 'numbered'],
    ['E-24 trailing blanks of the file', 'a \t\nb\n', block('a\nb', 'c'), 'c\n', 'trailing'],
    ['E-24 trailing blanks of the search', 'a\n', block('a  ', 'c'), 'c\n', 'trailing'],
    ['E-24 a blank line equals a blank line', 'a\n   \nb\n', block('a\n\nb', 'c'), 'c\n', 'trailing'],
    ['E-24 a shift to the right', '\t\ta\n\t\t\tb\n', block('a\n\tb', 'a\n\tc'), '\t\ta\n\t\t\tc\n', 'shift'],
    ['E-24 a shift to the left', 'a\n  b\n', block('    a\n      b', '    a\n      c'), 'a\n  c\n', 'shift'],
    ['E-24 a shift to the left needs the run on every new line', 'a\n', block('    a', '  b'), '!not_found'],
    ['E-24 a shift leaves blank new lines alone', '  a\n', block('a', 'b\n\nc'), '  b\n\n  c\n', 'shift'],
    ['E-24 a shift must be the same on every line', '  a\n    b\n', block('a\nb', 'c\nd'), '!not_found'],
    ['E-24 tabs for blanks', '\ta\n\t\tb\n', block('  a\n    b', '  a\n    c\n    d'), '\ta\n\t\tc\n\t\td\n', 'map'],
    ['E-24 one indentation against two in the file', ' a\n\tb\n', block('  a\n  b', '  c\n  d'), '!not_found'],
    ['E-24 a new indentation that the search does not have', '\ta\n\t\tb\n', block('  a\n    b', '  a\n      c'), '!not_found'],
    ['E-24 typographic quotes', 'say “hi”\n', block('say "hi"', 'say "ho"'), 'say “ho”\n', 'fold'],
    ['E-24 what the new text changes is as written', 'x = ‘a’\n', block("x = 'a'", "y = 'a' + 'b'"), "y = ‘a’ + 'b'\n", 'fold'],
    ['E-24 dashes and fixed blanks', 'a – b\u00A0c\n', block('a - b c', 'a - b d'), 'a – b\u00A0d\n', 'fold'],
    ['E-24 three dots for an ellipsis', 'wait… now\n', block('wait... now', 'wait... then'), 'wait… then\n', 'fold'],
    ['E-24 an ellipsis for three dots', 'wait... now\n', block('wait… now', 'wait… then'), 'wait... then\n', 'fold'],
    ['E-24 folding maps indentation too', '\tx = “a”\n', block('    x = "a"', '    x = "b"'), '\tx = “b”\n', 'fold'],
    ['E-24 fixed blanks as indentation', '\u00A0\u00A0a\n', block('  a', '  b'), '\u00A0\u00A0b\n', 'fold'],
    ['E-24 more than one place at a tolerant level', ' a\n  a\n', block('a', 'b'), '!ambiguous'],
    ['E-24 blank lines alone are looked for exactly', 'a\n  \nb\n', block('\n', 'x'), '!not_found'],
    ['E-24 an empty line is found exactly', 'a\n\nb\n', '<<<<<<< SEARCH\n\n=======\nx\n>>>>>>> REPLACE\n', 'a\nx\nb\n', 'exact'],
    ['E-30 case counts', 'Abc\n', block('abc', 'x'), '!not_found'],
    ['E-30 blank lines are not skipped', 'a\n\nb\n', block('a\nb', 'x'), '!not_found'],
    ['E-30 escapes are not undone', 'a\tb\n', block('a\\tb', 'x'), '!not_found'],
    ['E-30 other Unicode forms differ', 'ﬁ\n', block('fi', 'x'), '!not_found'],
    ['E-25 an object is tolerant by whole lines', '    a\n    b\n', { search: 'a\nb', replace: 'c\nd' }, '    c\n    d\n', 'shift'],
    ['E-25 with line breaks on both', '    a\n    b\n', { search: 'a\nb\n', replace: 'c\n' }, '    c\n', 'shift'],
    ['E-25 not with a line break on one', '    a\n    b\n', { search: 'a\nb\n', replace: 'c' }, '!not_found'],
    ['E-25 an empty replacement fits both', '    a\n    b\nc\n', { search: 'a\nb\n', replace: '' }, 'c\n', 'shift'],
  ])('%s', (_, original, edit, content, match) => {
    expect(told(original, edit)).toEqual(match === undefined ? [content] : [content, match])
  })

  test('E-27 numbers of a later block are carried through an earlier one', () => {
    expect(told('a\nx\ny\nx\n', block('a', 'a\nb\nc') + block('4 | x', 'z'))).toEqual(['a\nb\nc\nx\ny\nz\n', 'numbered'])
  })

  test('E-27 a hint of a later block is carried too', () => {
    const hinted = '<<<<<<< SEARCH\n:start_line:4\n-------\nx\n=======\nz\n>>>>>>> REPLACE\n'
    expect(told('a\nx\ny\nx\n', block('a', 'a\nb\nc') + hinted)).toEqual(['a\nb\nc\nx\ny\nz\n', 'exact'])
  })

  test('E-29 lines that a tolerant edit keeps are left as the file has them', () => {
    expect(told('a  \nb  \nc  \n', block('a\nb\nc', 'a\nX\nc'))[0]).toBe('a  \nX\nc  \n')
    expect(told('a  \nb  \nc  \n', '@@\n a\n-b\n+X\n c\n')[0]).toBe('a  \nX\nc  \n')
    expect(told('  a\n  b \n  c\n', block('a\nb\nc', 'a\nb\nnew\nc'))[0]).toBe('  a\n  b \n  new\n  c\n')
  })

  test('E-3 lines are counted in the text before each edit', () => {
    expect(apply({ original: 'a\nb\n', edit: block('a', 'x\ny') + block('b', 'z') })).toMatchObject({
      ok: {
        edits: [
          { index: 0, match: 'exact', line: 1, old_lines: 1, new_lines: 2, count: 1 },
          { index: 1, match: 'exact', line: 3, old_lines: 1, new_lines: 1, count: 1 },
        ],
      },
    })
  })

  test('E-3 all counts its places', () => {
    expect(apply({ original: 'a\na a\n', edit: { search: 'a', replace: 'b', all: true } })).toMatchObject({
      ok: { content: 'b\nb b\n', edits: [{ line: 1, count: 3 }] },
    })
  })
})

describe('line ends and the rest of the bytes', () => {
  test.each<[string, string, EditInput['edit'], string]>([
    ['E-32 the edit may have other line ends', 'a\nb\n', block('a', 'x').replaceAll('\n', '\r\n'), 'x\nb\n'],
    ['E-32 a new line ends like the old one at its place', 'a\r\nb\nc\r\n', block('a\nb', 'x\ny'), 'x\r\ny\nc\r\n'],
    ['E-32 beyond them like the last', 'a\r\nb\nc\r\n', block('a\nb', 'x\ny\nz'), 'x\r\ny\nz\nc\r\n'],
    ['E-32 fewer lines end like the first ones', 'a\r\nb\nc\n', block('a\nb', 'x'), 'x\r\nc\n'],
    ['E-32 an insertion ends like the line before', 'a\r\nb\nc\n', block('a\nb', 'a\nx\nb'), 'a\r\nx\r\nb\nc\n'],
    ['E-32 an insertion at the top ends like most', 'a\r\nb\r\nc\n', '@@\n+x\n a\n', 'x\r\na\r\nb\r\nc\n'],
    ['E-32 a last line without end gets the most frequent one', 'a\r\nb\nc\r\nd', block('d', 'x\ny'), 'a\r\nb\nc\r\nx\r\ny'],
    ['E-32 a tie is \\n', 'a\r\nb\nc', block('c', 'x\ny'), 'a\r\nb\nx\ny'],
    ['E-32 inside a line too', 'ab\r\nc\n', { search: 'b', replace: 'x\ny' }, 'ax\r\ny\r\nc\n'],
    ['E-32 a text edit keeps the ends of lines it repeats', 'a\r\nb\nc\n', { search: 'a\nb', replace: 'a\nx\nb' }, 'a\r\nx\r\nb\nc\n'],
    ['E-31 a lone \\r is content', 'a\rb\nc\n', block('c', 'd'), 'a\rb\nd\n'],
    ['E-31 \\r\\r\\n is content and an end', 'a\r\r\nb\r\n', block('b', 'c'), 'a\r\r\nc\r\n'],
    ['E-33 the BOM is not part of the first line', '\uFEFFa\n', block('a', 'b'), '\uFEFFb\n'],
    ['E-33 nor of a text', '\uFEFFa', { search: 'a', replace: '' }, '\uFEFF'],
    ['E-34 the last line deleted from a file without a final break', 'a\nb', block('b', ''), 'a'],
    ['E-34 the last line deleted from a file with one', 'a\nb\n', block('b', ''), 'a\n'],
    ['E-34 all lines deleted', 'a\nb', block('a\nb', ''), ''],
    ['E-34 an insertion behind the last line without a break', 'a\nb', '@@\n b\n+c\n', 'a\nb\nc'],
    ['E-35 a whole text keeps the BOM', '\uFEFFa\n', 'b\n', '\uFEFFb\n'],
    ['E-35 and \\r\\n', 'a\r\nb\r\n', 'x\ny', 'x\r\ny'],
    ['E-35 but not in a mixed file', 'a\r\nb\n', 'x\ny\n', 'x\ny\n'],
    ['E-35 and not if it has its own', 'a\r\n', 'x\ny\r\n', 'x\ny\r\n'],
    ['E-36 replacement patterns in every format', 'x\n', '{"search":"x","replace":"$& $1 $` \\\\1 %s &amp;"}', '$& $1 $` \\1 %s &amp;\n'],
    ['E-37 characters beyond U+FFFF and combining marks', '😀e\u0301\n', { search: 'e\u0301', replace: '😁' }, '😀😁\n'],
    ['E-37 control characters pass', 'a\u0001\u001b[0m\n', block('a\u0001\u001b[0m', 'b\u0002'), 'b\u0002\n'],
  ])('%s', (_, original, edit, content) => {
    expect(told(original, edit)[0]).toBe(content)
  })
})

describe('refusals that say where to look', () => {
  function near(original: string, edit: EditInput['edit']): Near | undefined {
    const result = apply({ original, edit })
    return 'error' in result ? result.error.near : undefined
  }

  test.each<[string, string, EditInput['edit'], Partial<Near>]>([
    ['E-48 blanks', 'x\nfoo( a, b )\n', block('foo(a,b)', 'bar'), { line: 2, text: 'foo( a, b )', reason: 'whitespace' }],
    ['E-48 forms of characters', 'x\nﬁle name\n', block('file name', 'bar'), { line: 2, reason: 'unicode' }],
    ['E-48 case', 'x\nReturn Value\n', block('return value', 'bar'), { line: 2, reason: 'case' }],
    ['E-48 content', 'x\nconst total = sum(a, b)\n', block('const total = add(a, b)', 'y'), { line: 2, reason: 'content' }],
    [
      'E-48 what is already there',
      'const port = 8080\n',
      block('const port = 3000', 'const port = 8080'),
      { line: 1, similarity: 1, reason: 'applied' },
    ],
    ['E-48 inside a line too', 'let port = 8080, x\n', { search: 'port = 3000', replace: 'port = 8080' }, { line: 1, reason: 'applied' }],
    ['E-48 another order', 'first\nsecond\n', '@@\n-second\n+2\n@@\n-first\n+1\n', { line: 1, similarity: 1, reason: 'order' }],
    ['E-48 inside a line', 'a b c\n', block('b', 'x'), { line: 1, text: 'a b c', reason: 'midline' }],
    [
      'E-48 the window has as many lines as the search',
      'a\nfunction one() {\n  go(1)\n}\nb\n',
      block('function one() {\n  go(2)\n}', 'x'),
      { line: 2, text: 'function one() {\n  go(1)\n}' },
    ],
  ])('%s', (_, original, edit, wanted) => {
    expect(near(original, edit)).toMatchObject(wanted)
  })

  test('E-48 nothing similar, nothing near', () => {
    expect(apply({ original: 'aaaa\n', edit: block('zzzz', 'b') })).toEqual({
      error: { code: 'not_found', edit: 0, line: 1, message: expect.stringContaining('"zzzz"') },
    })
  })

  test('E-48 at most twelve lines are shown', () => {
    const file = Array.from({ length: 30 }, (_, i) => `line number ${i}`)
    const wanted = file.map((line, i) => (i === 20 ? 'line nomber 20' : line)).join('\n')
    expect(near(`${file.join('\n')}\n`, block(wanted, 'x'))?.text.split('\n')).toHaveLength(12)
  })

  test('E-5 later edits are tried too, and their failures listed', () => {
    const edit = block('nope', 'x') + block('a', 'b') + block('b', 'c') + block('nada', 'y') + block('c', 'c')
    expect(apply({ original: 'a\n', edit })).toMatchObject({
      error: {
        code: 'not_found',
        edit: 0,
        others: [
          { edit: 3, code: 'not_found' },
          { edit: 4, code: 'no_change' },
        ],
      },
    })
  })

  test('E-5 the sections of one file behind a failing one are tried too, on what the others made of it', () => {
    const section = (...lines: string[]): string[] => ['*** Update File: f', '@@', ...lines]
    const edit = patch(...section('-nope', '+x', '@@', '-a', '+b'), ...section('-b', '+c'), ...section('-nada', '+y'))
    expect(apply({ original: 'a\n', edit, path: 'f' })).toMatchObject({
      error: { code: 'not_found', edit: 0, others: [{ edit: 3, code: 'not_found' }] },
    })
  })

  test('E-5 a section that cannot be tried at all is told by its number', () => {
    const edit = patch('*** Update File: f', '@@', '-nope', '+x', '*** Delete File: f', '*** Delete File: f')
    expect(apply({ original: 'a\n', edit, path: 'f' })).toMatchObject({
      error: { code: 'not_found', edit: 0, others: [{ edit: 2, code: 'missing_file' }] },
    })
  })

  test('E-5 at most ten others are listed', () => {
    const edit = Array.from({ length: 20 }, (_, i) => block(`nope ${i}`, 'x')).join('')
    const result = apply({ original: 'a\n', edit })
    expect('error' in result && result.error.others).toHaveLength(10)
  })

  test('E-47 at most ten places, cut at two hundred characters', () => {
    const result = apply({ original: `${'x'.repeat(300)}\n`.repeat(12), edit: block('x'.repeat(300), 'y') })
    expect(result).toMatchObject({ error: { code: 'ambiguous', count: 12 } })
    const { matches = [] } = 'error' in result ? result.error : {}
    expect(matches.map(({ line, text }) => [line, text.length])).toEqual(Array.from({ length: 10 }, (_, i) => [i + 1, 200]))
  })

  test('E-46 messages stay short whatever was looked for', () => {
    const result = apply({ original: 'a\n', edit: block('y'.repeat(5000), 'x') })
    expect('error' in result && result.error.message.length).toBeLessThan(400)
  })

  test.each<[string, string, string, string, string?]>([
    ['E-49 a comment that stands for code', 'a\nb\n', block('a', 'x\n// ... existing code ...'), '!elided'],
    ['E-49 in a whole text', 'a\nb\n', 'x\n# … rest of the file\n', '!elided'],
    ['E-49 in a diff', 'a\nb\n', '@@\n-a\n+/* ... remaining cases unchanged ... */\n', '!elided'],
    [
      'E-49 not if the file has that line',
      '// ... existing code ...\na\n',
      block('a', 'b\n// ... existing code ...'),
      '// ... existing code ...\nb\n// ... existing code ...\n',
    ],
    ['E-49 not without dots', 'a\n', block('a', '// the rest'), '// the rest\n'],
    ['E-49 not outside a comment', 'a\n', block('a', 'print("... existing")'), 'print("... existing")\n'],
    ['E-49 not in a document', 'a\n', block('a', '<!-- ... rest ... -->'), '<!-- ... rest ... -->\n', 'x.md'],
  ])('%s', (_, original, edit, wanted, path) => {
    expect(told(original, edit, { path })[0]).toBe(wanted)
  })
})

describe('bounds', () => {
  test.each<[string, EditInput, RegExp]>([
    ['E-50 a file over ten mebibytes', { original: 'a'.repeat(10 * 1024 * 1024 + 1), edit: 's/a/b/' }, /10485761.*10485760/],
    ['E-50 counted as UTF-8', { original: 'ü'.repeat(5 * 1024 * 1024 + 1), edit: 's/a/b/' }, /10485762/],
    ['E-50 an edit over two mebibytes', { original: 'a', edit: 'b'.repeat(2 * 1024 * 1024 + 1) }, /2097153.*2097152/],
    [
      'E-50 more than five hundred edits',
      { original: 'a', edit: Array.from({ length: 501 }, () => ({ search: 'a', replace: 'b' })) },
      /501.*500/,
    ],
    ['E-50 a search of more than two thousand lines', { original: 'a', edit: block('x\n'.repeat(2000), 'y') }, /2001.*2000/],
  ])('%s', (_, input, message) => {
    expect(apply(input)).toMatchObject({ error: { code: 'too_large', message: expect.stringMatching(message) } })
  })

  test('E-4 U+0000 on either side is binary', () => {
    expect(apply({ original: 'a\0', edit: 's/a/b/' })).toMatchObject({ error: { code: 'binary' } })
    expect(apply({ original: 'a', edit: 'a\0' })).toMatchObject({ error: { code: 'binary' } })
    expect(apply({ original: 'a', edit: [{ search: 'a', replace: '\0' }] })).toMatchObject({ error: { code: 'binary' } })
  })

  test('E-51 a runaway expression ends, and the process stays usable', () => {
    const start = performance.now()
    expect(apply({ original: `${'a'.repeat(40)}b`, edit: 's/(a+)+$/x/' })).toMatchObject({ error: { code: 'timeout' } })
    expect(performance.now() - start).toBeLessThan(1500)
    expect(told('a1\n', 's/\\d/x/')[0]).toBe('ax\n')
  })

  test.each([
    ['a long text that ignores case', 'a', `s/${'b'.repeat(1_000_000)}/x/i`, '!malformed'],
    ['too many groups within each other', 'a', `s/${'('.repeat(500_000)}${')'.repeat(500_000)}/x/`, '!malformed'],
    ['a repetition too large to be built', 'a', 's/((((a{1000}){1000}){1000}){1000})b/x/', '!not_found'],
  ])('E-2 %s does not throw', (_, original, edit, wanted) => {
    expect(told(original, edit)[0]).toBe(wanted)
  })

  test('E-51 many runaway expressions share the time of the call', () => {
    const start = performance.now()
    const edit = Array.from({ length: 50 }, (_, i) => `s/(a+)+${i}$/x/`).join('\n')
    expect(apply({ original: `${'a'.repeat(40)}b`, edit })).toMatchObject({ error: { code: 'timeout' } })
    expect(performance.now() - start).toBeLessThan(3000)
  })

  test.each<[string, string, EditInput['edit']]>([
    [
      'E-52 a long search that repeats itself',
      'a'.repeat(2_000_000),
      { search: `${'a'.repeat(50_000)}b${'a'.repeat(50_000)}`, replace: 'x' },
    ],
    ['E-52 equal lines', 'x\n'.repeat(500_000), block(`${'x\n'.repeat(1500)}y`, 'z')],
    ['E-52 equal lines, indented', ' x\n'.repeat(500_000), block(`${'x\n'.repeat(1500)}y`, 'z')],
    ['E-52 places that overlap', 'x\n'.repeat(200_000), block('x\n'.repeat(999).trimEnd(), 'z')],
    ['E-52 indented places that overlap', ' x\n'.repeat(200_000), block('x\n'.repeat(999).trimEnd(), 'z')],
    ['E-52 many elements', 'a', '<old_text>a</old_text>'.repeat(80_000)],
    ['E-52 many commands', 'a', 's/a/b/\n'.repeat(200_000)],
    ['E-52 many openers', 'a', '<<< OLD\n'.repeat(200_000)],
    ['E-52 many forgotten quotes', 'a', `<set search="a ${'b="c\n'.repeat(200_000)}`],
    ['E-52 a line of blanks', 'a', `${' '.repeat(1_000_000)}x.js\n${block('a', 'b')}`],
    [
      'E-52 a long search that repeats itself, in a line',
      `${'a'.repeat(1_000_000)}\n`,
      { search: `${'a'.repeat(400_000)}b`, replace: 'c' },
    ],
    ['E-52 many unclosed tags', 'a', `<set search="a">${'<set x '.repeat(200_000)}</set>`],
  ])('%s ends in time', (_, original, edit) => {
    expect(cpuTime(() => apply({ original, edit }))).toBeLessThan(4000)
  })

  test('E-51 a call that takes too long is refused', async () => {
    const { applyEdit } = await import('../../../src/text/edits/apply.ts')
    const { callDeadline } = await import('../../../src/text/edits/deadline.ts')
    let now = 0
    const late = callDeadline(() => (now += 700))
    expect(applyEdit({ original: 'a\n', edit: block('zz', 'b') }, late)).toMatchObject({ kind: 'refused', error: { code: 'timeout' } })
  })

  test('E-2 an update of one file says the same twice', () => {
    const input = { original: 'a\nb\n', edit: patch('*** Update File: x', '@@', '-a', '+c') }
    expect(apply(input)).toEqual(apply(input))
  })
})
