import { describe, expect, test } from 'vitest'
import { planEdits } from '../../../src/text/edits/plan.ts'
import { splitReply } from '../../../src/text/edits/split.ts'
import type { Format } from '../../../src/text/edits/types.ts'
import { block, patch } from './cases.ts'

const FENCE = '```'

/** What becomes of the files: path, action and content of each change, or the refusal. */
function plan(edit: string, files: Record<string, string | null>, format?: Format): unknown {
  const outcome = planEdits({ edit, files, format })
  if (outcome.kind === 'refused') return outcome.error
  return outcome.value.changes.map(({ path, from, action, content }) => [from === undefined ? path : `${from} > ${path}`, action, content])
}

describe('an edit of several files', () => {
  test('E-43 a patch adds, updates, deletes and renames in order', () => {
    const edit = patch(
      '*** Add File: new.txt',
      '+hello',
      '*** Update File: a.txt',
      '@@',
      '-a',
      '+b',
      '*** Delete File: old.txt',
      '*** Update File: x.txt',
      '*** Move to: y.txt',
      '@@',
      '-x',
      '+y',
    )
    expect(plan(edit, { 'a.txt': 'a\n', 'old.txt': 'o\n', 'x.txt': 'x\n' })).toEqual([
      ['new.txt', 'create', 'hello\n'],
      ['a.txt', 'update', 'b\n'],
      ['old.txt', 'delete', null],
      ['x.txt > y.txt', 'rename', 'y\n'],
    ])
  })

  test('E-43 nothing is changed when one file fails', () => {
    const edit = patch('*** Update File: a', '@@', '-a', '+b', '*** Update File: b', '@@', '-zzz', '+c')
    expect(plan(edit, { a: 'a\n', b: 'b\n' })).toMatchObject({ code: 'not_found', edit: 1, paths: ['b'] })
  })

  test('E-5 failures in later files are listed too', () => {
    const edit = patch(
      '*** Update File: a',
      '@@',
      '-x',
      '+b',
      '*** Update File: b',
      '@@',
      '-b',
      '+c',
      '*** Update File: c',
      '@@',
      '-zzz',
      '+c',
    )
    expect(plan(edit, { a: 'a\n', b: 'b\n', c: 'c\n' })).toMatchObject({ edit: 0, paths: ['a'], others: [{ edit: 2, code: 'not_found' }] })
  })

  test('E-43 every missing file is named', () => {
    const edit = patch('*** Update File: a', '@@', '-a', '+b', '*** Delete File: b', '*** Update File: c', '@@', '-c', '+d')
    expect(plan(edit, { c: 'c\n', b: null })).toMatchObject({ code: 'missing_file', paths: ['a', 'b'] })
  })

  test('E-43 two sections on one path apply in order', () => {
    const edit = patch('*** Update File: a', '@@', '-a', '+b', '*** Update File: a', '@@', '-b', '+c')
    expect(plan(edit, { a: 'a\n' })).toEqual([
      ['a', 'update', 'b\n'],
      ['a', 'update', 'c\n'],
    ])
  })

  test('E-41 renames follow each other, and later sections use the new name', () => {
    const edit = patch(
      '*** Update File: a',
      '*** Move to: b',
      '*** Update File: b',
      '*** Move to: c',
      '*** Update File: c',
      '@@',
      '-x',
      '+y',
    )
    expect(plan(edit, { a: 'x\n' })).toEqual([
      ['a > b', 'rename', 'x\n'],
      ['b > c', 'rename', 'x\n'],
      ['c', 'update', 'y\n'],
    ])
  })

  test('E-41 a file that was moved away is no longer there', () => {
    const edit = patch('*** Update File: a', '*** Move to: b', '*** Update File: a', '@@', '-x', '+y')
    expect(plan(edit, { a: 'x\n' })).toMatchObject({ code: 'missing_file', paths: ['a'] })
  })

  test('E-41 two files change their names', () => {
    const edit = patch(
      '*** Update File: a',
      '*** Move to: t',
      '*** Update File: b',
      '*** Move to: a',
      '*** Update File: t',
      '*** Move to: b',
    )
    expect(plan(edit, { a: 'A\n', b: 'B\n' })).toEqual([
      ['a > t', 'rename', 'A\n'],
      ['b > a', 'rename', 'B\n'],
      ['t > b', 'rename', 'A\n'],
    ])
  })

  test('E-41 an existing target is replaced with a warning', () => {
    const outcome = planEdits({ edit: patch('*** Update File: a', '*** Move to: b'), files: { a: 'a\n', b: 'b\n' } })
    expect(outcome).toMatchObject({ kind: 'ok', value: { changes: [{ path: 'b', from: 'a', warnings: [{ code: 'overwrote' }] }] } })
  })

  test('E-43 a diff of several files', () => {
    const edit =
      '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+n\n--- a/z\n+++ /dev/null\n@@ -1 +0,0 @@\n-z\n'
    expect(plan(edit, { x: 'a\n', z: 'z\n' })).toEqual([
      ['x', 'update', 'b\n'],
      ['y', 'create', 'n\n'],
      ['z', 'delete', null],
    ])
  })

  test('E-43 objects with paths', () => {
    const edit = '[{"path":"x","search":"a","replace":"b"},{"path":"y","search":"c","replace":"d"}]'
    expect(plan(edit, { x: 'a', y: 'c' })).toEqual([
      ['x', 'update', 'b'],
      ['y', 'update', 'd'],
    ])
  })

  test('E-43 names of object members are ordinary paths', () => {
    const edit = patch('*** Update File: __proto__', '@@', '-a', '+b', '*** Update File: constructor', '@@', '-a', '+b')
    expect(plan(edit, { x: 'a\n' })).toMatchObject({ code: 'missing_file', paths: ['__proto__', 'constructor'] })
  })

  test('E-42 a path out of the project is refused', () => {
    expect(plan(patch('*** Add File: ../x', '+a'), {})).toMatchObject({ code: 'path_mismatch' })
    expect(plan(patch('*** Add File: /etc/x', '+a'), {})).toMatchObject({ code: 'path_mismatch' })
  })
})

describe('a whole reply', () => {
  const reply = [
    "I'll change two files.",
    '',
    'src/a.js',
    `${FENCE}js`,
    block('a', 'b').trimEnd(),
    FENCE,
    '',
    'And once more:',
    '',
    `${FENCE}js`,
    block('c', 'd').trimEnd(),
    FENCE,
    '',
    '**src/b.js**:',
    '',
    block('x', 'y').trimEnd(),
    '',
    'Run this:',
    `${FENCE}sh`,
    'npm test',
    FENCE,
    '',
  ].join('\n')

  test('E-45 blocks are found with their files, prose is left', () => {
    const outcome = splitReply({ text: reply })
    expect(outcome).toMatchObject({
      kind: 'ok',
      value: {
        edits: [
          { path: 'src/a.js', format: 'search_replace', edit: block('a', 'b'), search: 'a\n', replace: 'b\n' },
          { path: 'src/a.js', search: 'c\n', replace: 'd\n' },
          { path: 'src/b.js', search: 'x\n', replace: 'y\n' },
        ],
        rest: expect.stringContaining('npm test'),
      },
    })
    expect(outcome.kind === 'ok' && outcome.value.rest).not.toContain('<<<<<<<')
  })

  test('E-45 edit.plan takes it as it is', () => {
    expect(plan(reply, { 'src/a.js': 'a\nc\n', 'src/b.js': 'x\n' })).toEqual([
      ['src/a.js', 'update', 'b\nd\n'],
      ['src/b.js', 'update', 'y\n'],
    ])
  })

  test('E-45 the path given is the file of blocks that name none', () => {
    expect(splitReply({ text: `Do this:\n\n${block('a', 'b')}`, path: 'x.js' })).toMatchObject({ value: { edits: [{ path: 'x.js' }] } })
  })

  test('E-45 without any path a block has none, and a plan refuses it', () => {
    const text = `Do this:\n\n${block('a', 'b')}`
    expect(splitReply({ text })).toMatchObject({ value: { edits: [{ path: null }] } })
    expect(plan(text, { 'x.js': 'a\n' })).toMatchObject({ code: 'path_mismatch' })
  })

  test('E-45 an unfinished block is malformed', () => {
    expect(splitReply({ text: `x.js\n${FENCE}\n<<<<<<< SEARCH\na\n=======\nb\n` })).toMatchObject({
      kind: 'refused',
      error: { code: 'malformed', line: 3 },
    })
  })

  test.each([
    ['more behind the opener', '<<<<<<< SEARCH x.js\na\n=======\nb\n>>>>>>> REPLACE\n'],
    ['no opener', 'a\n=======\nb\n>>>>>>> REPLACE\n'],
  ])('E-45 a block with %s does not pass as prose', (_, broken) => {
    expect(plan(`x.js\n${block('a', 'b')}\nThen:\n\n${broken}`, { 'x.js': 'a\n' })).toMatchObject({ code: 'malformed' })
  })

  test('E-45 plain code in a fence is no edit', () => {
    expect(splitReply({ text: `x.js\n${FENCE}js\nlet a\n${FENCE}\n` })).toMatchObject({ value: { edits: [] } })
    expect(plan(`x.js\n${FENCE}js\nlet a\n${FENCE}\n`, { 'x.js': 'a\n' })).toMatchObject({ code: 'malformed' })
  })

  test('E-45 with the format whole it is the file', () => {
    const text = `Here:\n\nx.js\n${FENCE}js\nlet a\n${FENCE}\n\ndocs/y.md:\n~~~\n${FENCE}\ncode\n${FENCE}\n~~~\n`
    expect(plan(text, { 'x.js': 'old\r\n' }, 'whole')).toEqual([
      ['x.js', 'update', 'let a\r\n'],
      ['docs/y.md', 'create', `${FENCE}\ncode\n${FENCE}\n`],
    ])
  })

  test('E-45 a fenced diff and a patch are found too, each file on its own', () => {
    const text = `First:\n\n${FENCE}diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n${FENCE}\n\nThen:\n\n${patch('*** Update File: y', '@@', '-a', '+b', '*** Delete File: z')}\nDone.\n`
    const outcome = splitReply({ text })
    expect(outcome).toMatchObject({
      value: {
        edits: [
          { path: 'x', format: 'udiff', edit: '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n' },
          { path: 'y', format: 'apply_patch', edit: patch('*** Update File: y', '@@', '-a', '+b') },
          { path: 'z', format: 'apply_patch', edit: patch('*** Delete File: z') },
        ],
      },
    })
    expect(plan(text, { x: 'a\n', y: 'a\n', z: '' })).toEqual([
      ['x', 'update', 'b\n'],
      ['y', 'update', 'b\n'],
      ['z', 'delete', null],
    ])
  })

  test('E-45 a line that breaks a diff off does not make its rest prose', () => {
    const text = `${FENCE}diff\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n-a\n+b\nc\n-d\n+e\n${FENCE}\n`
    expect(plan(text, { x: 'a\nc\nd\n' })).toMatchObject({ code: 'malformed', line: 7 })
  })

  test('E-44 what is a path line and what is not', () => {
    const pathOf = (line: string): unknown => {
      const outcome = splitReply({ text: `Text\n${line}\n${block('a', 'b')}` })
      return outcome.kind === 'ok' ? outcome.value.edits[0]?.path : outcome.error
    }
    expect(
      ['src/a.js', '### `src/a.js`', '**a.js:**', 'Makefile', 'Edit src/a.js', 'Done.', '</source>', '...', 'dir/Makefile'].map(pathOf),
    ).toEqual(['src/a.js', 'src/a.js', 'a.js', null, null, null, null, null, 'dir/Makefile'])
  })

  test('E-44 a lone tag opens a fence too', () => {
    const text = `a/b.yml\n<source>\n${block('a', 'b')}</source>\n`
    expect(plan(text, { 'a/b.yml': 'a\n' })).toEqual([['a/b.yml', 'update', 'b\n']])
  })
})
