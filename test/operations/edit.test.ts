import { describe, expect, test } from 'vitest'
import { QedError } from '../../src/kernel/errors.ts'
import { exitCodeOf } from '../../src/kernel/exit-codes.ts'
import { operations as editOperations } from '../../src/operations/edit.ts'
import type { AnyOperation } from '../../src/operations/operation.ts'
import { operations as patternOperations } from '../../src/operations/pattern.ts'

const all: readonly AnyOperation[] = [...editOperations, ...patternOperations]

/** The answer, checked against the operation's own schemas, or the error as surfaces show it. */
async function call(name: string, input: unknown): Promise<unknown> {
  const operation = all.find(one => one.name === name)!
  try {
    // These operations only compute: they use neither the app nor the call.
    return operation.output().parse(await operation.run({} as never, operation.input.parse(input), {} as never))
  } catch (thrown) {
    if (thrown instanceof QedError) return { error: thrown.toBody(), exit: exitCodeOf(thrown.code) }
    throw thrown
  }
}

describe('edit.apply', () => {
  test('E-1 answers with the content and how it was found', async () => {
    expect(await call('edit.apply', { original: 'port = 3000\n', edit: 's/3000/8080/', path: 'app.ini' })).toEqual({
      content: 'port = 8080\n',
      format: 'sed',
      action: 'update',
      changed: true,
      edits: [{ index: 0, match: 'exact', line: 1, old_lines: 1, new_lines: 1, count: 1 }],
      warnings: [],
    })
  })

  test('E-1 an error has its own fields beside the code', async () => {
    expect(await call('edit.apply', { original: 'Foo (extra)\n', edit: '<<<<<<< SEARCH\nFoo\n=======\nBar\n>>>>>>> REPLACE' })).toEqual({
      error: {
        code: 'not_found',
        message: expect.any(String),
        edit: 0,
        line: 1,
        near: { line: 1, text: 'Foo (extra)', similarity: 1, reason: 'midline' },
      },
      exit: 3,
    })
  })

  test.each([
    [{ original: 'a\na\n', edit: [{ search: 'a', replace: 'b' }] }, 'ambiguous', 1],
    [{ original: `${'a'.repeat(40)}b`, edit: 's/(a+)+$/x/' }, 'timeout', 10],
    [{ original: 'a', edit: 'x'.repeat(2 * 1024 * 1024 + 1) }, 'too_large', 2],
  ])('U-6 each code has its exit code', async (input, code, exit) => {
    expect(await call('edit.apply', input)).toMatchObject({ error: { code }, exit })
  })

  test('E-1 the operations only read', () => {
    expect(all.map(({ name, effect }) => [name, effect])).toEqual([
      ['edit.apply', 'read'],
      ['edit.plan', 'read'],
      ['edit.split', 'read'],
      ['pattern.match', 'read'],
    ])
  })
})

test('E-43 edit.plan answers with one change after the other', async () => {
  const edit = '*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** End Patch'
  expect(await call('edit.plan', { edit, files: { a: 'x\n' } })).toMatchObject({
    changes: [{ path: 'b', from: 'a', action: 'rename', content: 'y\n' }],
  })
  expect(await call('edit.plan', { edit, files: {} })).toMatchObject({ error: { code: 'missing_file', paths: ['a'] } })
})

test('E-45 edit.split answers with the edits of a reply', async () => {
  const text = 'Hello\n\nx.js\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n'
  expect(await call('edit.split', { text })).toEqual({
    edits: [{ path: 'x.js', format: 'search_replace', edit: text.slice(text.indexOf('<')), search: 'a\n', replace: 'b\n' }],
    rest: 'Hello\n\n',
    warnings: [],
  })
})

test('E-53 pattern.match answers one result per string', async () => {
  expect(await call('pattern.match', { pattern: 'src/', strings: ['src/a', 'b'] })).toEqual({
    kind: 'glob',
    results: [{ matched: true }, { matched: false }],
  })
  expect(await call('pattern.match', { pattern: '/(/', strings: [] })).toMatchObject({ error: { code: 'bad_pattern' }, exit: 1 })
})
