import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../src/kernel/sha256.ts'
import { readLines } from '../../src/tools/lines.ts'
import { calling, inData } from '../support/calling.ts'
import { temporaryFolder } from '../support/folders.ts'

describe('a path', () => {
  test('may be an address of a file, and means that file', async () => {
    const { call, root } = await calling()
    expect(inData(await call('read', { path: `file://${root}/src/a.js` }))).toBe('1\tone\n2\ttwo\n3\tthree')
    await call('write', { path: `file://${root}/src/new%20file`, content: 'x' })
    expect(readFileSync(join(root, 'src/new file'), 'utf8')).toBe('x')
    expect(await call('read', { path: 'file://elsewhere/a' })).toContain('is not the address of a file on this machine')
  })

  test.each([
    ['write', { path: '~/notes', content: 'x' }],
    ['edit', { path: '~/notes', search: '', replace: 'x' }],
    ['apply_patch', { patch: '*** Begin Patch\n*** Add File: ~/notes\n+x\n*** End Patch' }],
    ['ls', { path: '~' }],
    ['grep', { pattern: 'x', path: '~/' }],
  ])('with ~ is refused by %s: no folder of that name is made', async (name, input) => {
    const { call, root } = await calling()
    expect(await call(name, input)).toContain(`~ means nothing here. Write the path relative to ${root}, or in full.`)
    expect(existsSync(join(root, '~'))).toBe(false)
  })
})

describe('a file that cannot be made', () => {
  test('is refused before any other of the same patch is written', async () => {
    const { call, git } = await calling()
    const patch = '*** Begin Patch\n*** Add File: ok.txt\n+hi\n*** Add File: src/a.js/b\n+x\n*** End Patch'
    expect(await call('apply_patch', { patch })).toMatch(/^Error: src\/a\.js\/b cannot be written: .*src\/a\.js is a file, not a folder\.$/)
    const nested = '*** Begin Patch\n*** Add File: new\n+hi\n*** Add File: new/b\n+x\n*** End Patch'
    expect(await call('apply_patch', { patch: nested })).toBe('Error: new cannot be a file: new/b would be inside it.')
    expect(git('status', '--porcelain', '--', '.', ':!.qed')).toBe('')
  })

  test('because of its name is told so', async () => {
    const { call } = await calling()
    expect(await call('write', { path: 'x'.repeat(300), content: '' })).toMatch(/^Error: x+…: the name is too long\. Take a shorter one\.$/)
  })

  test('because what is there is very large is told what can change it', async () => {
    const { call } = await calling({ big: 'a line\n'.repeat(1_600_000) })
    expect(await call('write', { path: 'big', content: '' })).toBe(
      'Error: big has 11200000 bytes; files over 10485760 bytes are changed with bash only.',
    )
  })
})

describe('edit', () => {
  test('deletes nothing because a field was forgotten', async () => {
    const { call, root } = await calling()
    for (const input of [
      { search: 'two' },
      { replace: 'two' },
      {},
      { search: 'one', replace: '1', edit: 's/a/b/' },
      { replace: 'x', edit: 's/a/b/' },
    ])
      expect(await call('edit', { path: 'src/a.js', ...input })).toBe(
        'Error: Give either edit, or both search and replace (replace "" deletes).',
      )
    expect(readFileSync(join(root, 'src/a.js'), 'utf8')).toBe('one\ntwo\nthree\n')
  })

  test('says that it took a text for the whole file', async () => {
    const { call } = await calling()
    expect(await call('edit', { path: 'src/a.js', edit: 'change two to 2\n' })).toBe(
      'Replaced all of src/a.js (1 lines): the text was taken for the whole file.',
    )
  })

  test('E-47 tells apart how one place and how every place is meant', async () => {
    const { call } = await calling({ twice: 'foo\nfoo\n' })
    expect(await call('edit', { path: 'twice', search: 'foo', replace: 'bar' })).toContain(
      'To mean one place, give more surrounding text; to mean every place, set all.',
    )
  })
})

describe('read', () => {
  test('shows any part of a file that is larger than what can be edited', async () => {
    const { call } = await calling({ big: Array.from({ length: 2_000_000 }, (_, i) => `line ${i + 1}\n`).join('') })
    expect(inData(await call('read', { path: 'big', offset: '1999999', limit: 99_999 }))).toBe(
      '1999999\tline 1999999\n2000000\tline 2000000',
    )
    expect(inData(await call('read', { path: 'big', limit: 1, offset: 0 }))).toBe('1\tline 1\n[1999999 more lines; go on with offset 2]')
  })

  test('names the way to the rest of a long line, and that way leads through all of it', async () => {
    const long = Array.from({ length: 9_000 }, (_, i) => `${i},é😀`).join('')
    const { call } = await calling({ 'min.js': `first\n${long}\r\nlast\n` })
    let text = inData(await call('read', { path: 'min.js' })).split('\n')[1] ?? ''
    let seen = ''
    for (let more = /^2\t(.*) \[\d+ characters left out; go on with offset 2, limit 1, column (\d+)\]$/.exec(text); more; ) {
      seen += more[1]
      text = inData(await call('read', { path: 'min.js', offset: 2, limit: 1, column: Number(more[2]) })).split('\n')[0] ?? ''
      more = /^2\t(.*) \[\d+ characters left out; go on with offset 2, limit 1, column (\d+)\]$/.exec(text)
    }
    expect(seen + text.replace(/^2\t/, '')).toBe(long)
  })

  test('says that a file is not UTF-8', async () => {
    const { call } = await calling({ latin: Buffer.from('caf\u00e9\n', 'latin1') })
    expect(inData(await call('read', { path: 'latin' }))).toMatch(/^1\tcaf\ufffd\n\[not UTF-8: /)
  })

  test.each(['', 'a', 'a\n', '\n', 'a\nb', '\ufeffa\r\nb\r\n', '\n\n', 'a\rb\r'])('takes %j apart as it is', text => {
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, text)
    const lines = text.split('\n')
    if (lines.at(-1) === '') lines.pop()
    expect(readLines(file, 'file', { offset: 1, limit: 10, column: 1, width: 10 })).toEqual({
      lines: lines.map(line => ({ text: line.replace(/\r$/, ''), rest: 0 })),
      total: lines.length,
      sha256: sha256(text),
      isText: true,
    })
  })
})

test('ls shows the rest of a long folder', async () => {
  const { call } = await calling(Object.fromEntries(Array.from({ length: 501 }, (_, i) => [`many/f${String(i + 1).padStart(3, '0')}`, ''])))
  expect(inData(await call('ls', { path: 'many' }))).toMatch(/f500\n\[1 more; go on with offset 501\]$/)
  expect(inData(await call('ls', { path: 'many', offset: 501 }))).toBe('f501')
})
