import { describe, expect, test } from 'vitest'
import { calling, inData } from '../support/calling.ts'

const grep = async (files: Record<string, string | Buffer>, input: object): Promise<string> =>
  inData(await (await calling(files)).call('grep', input))
const glob = async (files: Record<string, string>, input: (root: string) => object): Promise<string> => {
  const { call, root } = await calling(files)
  return inData(await call('glob', input(root)))
}

describe('grep', () => {
  test('counts every match that it does not show', async () => {
    const found = await grep({ hits: Array.from({ length: 10_000 }, (_, i) => `needle ${i}\n`).join('') }, { pattern: 'needle' })
    expect(found.split('\n')).toHaveLength(101)
    expect(found).toContain('[9900 more matches; narrow the pattern or the path]')
  })

  test('says so where there are too many to count', async () => {
    const found = await grep({ hits: 'a needle in a line of some length, many times\n'.repeat(60_000) }, { pattern: 'needle' })
    expect(found).toMatch(/\n\[at least \d+ more matches; narrow the pattern or the path\]$/)
  })

  test.each([
    ['looks around', '(?<=t)wo(?=$)', 'src/a.js:2:two'],
    ['refers back', '(e)\\1', 'src/a.js:3:three'],
    ['goes over lines', 'one\\ntwo', 'src/a.js:1:one\nsrc/a.js:2:two'],
    ['goes over lines, as written', 'one\ntwo', 'src/a.js:1:one\nsrc/a.js:2:two'],
  ])('takes an expression that %s', async (_, pattern, found) => {
    expect(await grep({}, { pattern, path: 'src' })).toBe(found)
  })

  test('takes the end of a line that ends with a carriage return for its end', async () => {
    expect(await grep({ crlf: 'b\r\nbc\r\n' }, { pattern: 'b$', path: 'crlf' })).toBe('crlf:1:b')
  })

  test.each(['foo(', '*.js'])('that does not understand %s says what to do', async pattern => {
    expect(await grep({}, { pattern })).toMatch(/^Error: .*regex parse error[\s\S]*To mean a character itself, write a backslash before it/)
  })

  test('names a file whole, whatever its name holds', async () => {
    expect(await grep({ 'na\nme:1:x': 'hit\n', 'src/a:2:b': 'hit\n' }, { pattern: 'hit' })).toBe('na\nme:1:x:1:hit\nsrc/a:2:b:1:hit')
  })

  test('shows the beginning of a very long line, and the way to the rest works', async () => {
    const { call } = await calling({ 'min.js': `short\n${'x'.repeat(5_000)}NEEDLE\n` })
    const found = inData(await call('grep', { pattern: 'NEEDLE' }))
    expect(found).toMatch(/^min\.js:2:x{300,400} \[long line; read it with offset 2, limit 1\]$/)
    expect(inData(await call('read', { path: 'min.js', offset: 2, limit: 1 }))).toMatch(/xNEEDLE$/)
  })

  test('tells what is missing, binary or not to be found', async () => {
    const { call } = await calling({ 'file.bin': Buffer.from('needle\0needle\n') })
    expect(await call('grep', { pattern: 'x', path: 'nope' })).toContain('nope does not exist. Look with ls or glob for the right name.')
    expect(inData(await call('grep', { pattern: 'needle', path: 'file.bin' }))).toBe(
      'It matches, but the file is binary: its lines cannot be shown.',
    )
    expect(inData(await call('grep', { pattern: 'nowhere' }))).toBe(
      'Nothing matches. Widen the pattern or the path; files that git ignores are searched only where path names them.',
    )
  })

  test('shows paths from the root also where the path is given in full', async () => {
    const { call, root } = await calling()
    expect(inData(await call('grep', { pattern: 'two', path: `${root}/src` }))).toBe('src/a.js:2:two')
  })
})

describe('glob', () => {
  test.each([
    ['in full', (root: string) => ({ pattern: `${root}/src/*.js` })],
    ['with a dot', () => ({ pattern: './src/*.js' })],
    ['from the root', () => ({ pattern: 'src/*.js' })],
  ])('takes a pattern %s', async (_, input) => {
    expect(await glob({}, input)).toBe('src/a.js')
  })

  test('names a file whole, whatever its name holds', async () => {
    expect(await glob({ 'na\nme': '' }, () => ({ pattern: 'na*' }))).toBe('na\nme')
  })

  test('that finds nothing says where a pattern counts from', async () => {
    expect(await glob({}, () => ({ pattern: 'a.js' }))).toContain('**/name finds a file at any depth')
  })
})
