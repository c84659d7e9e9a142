import { describe, expect, test } from 'vitest'
import { planEdits } from '../../../src/text/edits/plan.ts'
import { splitReply } from '../../../src/text/edits/split.ts'
import type { EditInput } from '../../../src/text/edits/types.ts'
import { apply, block, content, patch } from './cases.ts'

/** Edits that are broken, or that say less than they seem to: none of them may be carried out in part. */

const FENCE = '```'

type Row = [name: string, original: string | null, edit: EditInput['edit'], wanted: string | null, more?: Partial<EditInput>]

function rows(table: Row[]): void {
  test.each(table)('%s', (_, original, edit, wanted, more) => {
    expect(content(original, edit, more)).toBe(wanted)
  })
}

function planned(edit: string, files: Record<string, string | null>, format?: EditInput['format']): unknown {
  const outcome = planEdits({ edit, files, format })
  return outcome.kind === 'refused' ? outcome.error.code : outcome.value.changes.map(change => change.content)
}

describe('a hunk that breaks off', () => {
  const hunk = (line: string): string => `@@ -1,3 +1,3 @@\n-a\n+b\n${line}\n-c\n+d\n`

  test.each(['foo.bar();', '</div>', FENCE, '<source>', 'src/x.js'])('E-12 at a line %s without its mark is malformed', line => {
    const original = `a\n${line}\nc\n`
    const edit = `--- a/x.js\n+++ b/x.js\n${hunk(line)}`
    expect(planned(edit, { 'x.js': original })).toBe('malformed')
    expect(content(original, hunk(line))).toBe('!malformed')
    expect(content(original, edit, { format: 'udiff' })).toBe('!malformed')
    expect(splitReply({ text: edit })).toMatchObject({ kind: 'refused', error: { code: 'malformed', line: 6 } })
  })

  rows([
    ['E-7 a closing tag without its mark is malformed', 'a\n</div>\n', '@@ -1,2 +1,2 @@\n-a\n+b\n</div>\n', '!malformed'],
    [
      'E-7 code above the next hunk is no path',
      'a\nfoo.bar();\nb\nc\n',
      '@@ -1,2 +1,2 @@\n-a\n+A\nfoo.bar();\n@@ -3,2 +3,2 @@\n b\n-c\n+C\n',
      '!malformed',
    ],
    ['E-7 a tag that closes another fence is malformed', 'a\n', `x.js\n${FENCE}\n@@ -1 +1 @@\n-a\n+b\n</div>\n${FENCE}\n`, '!malformed'],
    [
      'E-44 the fence of a diff may end in the middle of the text',
      'a\n',
      `x.js\n${FENCE}\n@@ -1 +1 @@\n-a\n+b\n${FENCE}\n\nx.js\n@@ -1 +1 @@\n-b\n+c\n`,
      'c\n',
    ],
  ])

  test('E-44 a path below a diff names the file of the block that follows', () => {
    const edit = `--- a/x.js\n+++ b/x.js\n@@ -1 +1 @@\n-a\n+b\ny.js\n${FENCE}\n<<<<<<< SEARCH\nc\n=======\nd\n>>>>>>> REPLACE\n${FENCE}\n`
    expect(planned(edit, { 'x.js': 'a\n', 'y.js': 'c\n' })).toEqual(['b\n', 'd\n'])
  })
})

describe('half a block', () => {
  const half = '=======\nnew\n>>>>>>> REPLACE\n'

  rows([
    ['E-7 before a whole one is malformed', 'foo\nx\n', `${half}\n${block('foo', 'bar')}`, '!malformed'],
    ['E-7 before one with markers of another length is malformed', 'foo\nx\n', `${half}\n${block('foo', 'bar', 9)}`, '!malformed'],
    ['E-7 before another half is malformed', 'foo\n', `${half}${half}`, '!malformed'],
    ['E-11 alone is the new content', 'foo\n', half, 'new\n'],
  ])
})

describe('new lines below an anchor', () => {
  const edit = patch('*** Update File: a', '@@ foo', '+x')

  rows([
    ['E-13 create no file', null, edit, '!missing_file'],
    ['E-13 are not the content of an empty file', '', edit, '!empty_search'],
    ['E-13 have no place in a file that has the anchor', 'foo\n', edit, '!empty_search'],
  ])

  test('E-13 create no file in a plan', () => {
    expect(planned(edit, { a: null })).toBe('missing_file')
    expect(planned(edit, { a: '' })).toBe('empty_search')
  })
})

describe('characters beyond U+FFFF', () => {
  rows([
    ['E-37 an expression does not part one', '😀b', 's/./x/', '!malformed'],
    ['E-37 a group of an expression does not part one', '😀b', 's/(.).b/\\1/', '!malformed'],
    ['E-37 with the flag u it is one character', '😀b', 's/./x/u', 'xb'],
    ['E-37 half of one is not found in the whole', '😀b', { search: '\ud83d', replace: 'x' }, '!not_found'],
    ['E-37 the other half neither', '😀b', { search: '\ude00b', replace: 'x' }, '!not_found'],
    ['E-37 nor at all places', '😀b', { search: '\ud83d', replace: 'x', all: true }, '!not_found'],
    ['E-37 half of one that stands alone is text', '\ud83db', { search: '\ud83d', replace: 'x' }, 'xb'],
  ])

  test('E-37 the refusal names the flag', () => {
    expect(apply({ original: '😀b', edit: 's/./x/' })).toMatchObject({ error: { message: expect.stringContaining('add the flag u') } })
  })
})

describe('code that was left out', () => {
  rows([
    ['E-49 is found in a command behind escapes', 'foo\n', 's/foo/\\/\\/ ... rest of code .../', '!elided'],
    ['E-49 is found in a command on a line of its own', 'foo\n', 's|foo|bar\\n// ... rest of code ...|', '!elided'],
  ])
})

describe('a file whose last line has no break', () => {
  rows([
    ['E-34 has none behind two insertions, one of them an empty line', 'a\nb', patch('*** Update File: f', '+', '@@', '+x'), 'a\nb\n\nx'],
    ['E-34 has none when it was empty in between', 'c', patch('*** Update File: f', '@@', '-c', '@@', '+c'), 'c'],
    ['E-34 has one when it was empty in between and had one', 'c\n', patch('*** Update File: f', '@@', '-c', '@@', '+c'), 'c\n'],
    ['E-34 has one when the edit says so', 'a', '@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n', 'b\n'],
  ])
})

describe('a whole file in a reply', () => {
  test.each([null, 'a\n'])('E-35 keeps the line ends that were written', original => {
    expect(planned(`a.txt\r\n${FENCE}\r\nx\r\ny\r\n${FENCE}\r\n`, { 'a.txt': original }, 'whole')).toEqual(['x\r\ny\r\n'])
  })
  test('E-35 takes those of the file when it has none of its own', () => {
    expect(planned(`a.txt\n${FENCE}\nx\ny\n${FENCE}\n`, { 'a.txt': 'a\r\n' }, 'whole')).toEqual(['x\r\ny\r\n'])
  })
})

describe('parts of an edit', () => {
  const cut = 'T\n<<<<<<< SEARCH\na\n'

  rows([
    ['E-8 an indented block is no content', 'a\n', block('a', 'b').replaceAll(/^/gm, '  '), '!ambiguous_format'],
    ['E-8 a section of a patch without its begin is no content', 'a\n', '*** Update File: a\n@@\n-a\n+b\n', '!ambiguous_format'],
    ['E-8 a patch that is cut off behind prose is no content', 'a\n', 'So:\n*** Begin Patch\n*** Update File: a\n', '!ambiguous_format'],
    ['E-8 a block that is cut off in a fence is no content', 'a\n', `${FENCE}\n<<<<<<< SEARCH\na\n`, '!ambiguous_format'],
    [
      'E-8 in a document an example in a fence is content',
      'a\n',
      `T\n${FENCE}\n${cut}${FENCE}\n`,
      `T\n${FENCE}\n${cut}${FENCE}\n`,
      { path: 'a.md' },
    ],
    ['E-8 a new file may hold them', null, cut, cut],
    ['E-8 a forced whole may hold them', 'a\n', cut, cut, { format: 'whole' }],
    ['E-9 a patch file may hold a part of a patch', 'a\n', '*** Update File: a\n', '*** Update File: a\n', { path: 'a.patch' }],
    ['E-14 a command without its end does not delete', 'abc\n', 's/b/', '!malformed'],
    ['E-14 a command with its end deletes', 'abc\n', 's/b//', 'ac\n'],
    ['E-14 the last mark may be missing behind a new text', 'abc\n', 's/b/x', 'axc\n'],
  ])
})

describe('the same said in two ways', () => {
  const twice = `a.js\n${block('a', 'b')}\n./a.js\n${block('b', 'c')}`

  rows([
    ['E-4 a hunk that moves a line over its like changes nothing', 'b\nb\n', '@@\n+b\n b\n-b\n', '!no_change'],
    ['E-42 a path with and without ./ is one file', 'a\n', twice, 'c\n'],
  ])

  test('E-42 a path with and without ./ is one file in a plan', () => {
    expect(planned(twice, { 'a.js': 'a\n' })).toEqual(['c\n'])
  })
})
