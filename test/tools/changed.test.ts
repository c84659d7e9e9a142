import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { changedData } from '../../src/tools/changed.ts'
import { edit } from '../../src/tools/edit.ts'
import type { Changed } from '../../src/tools/tool.ts'
import { temporaryFolder } from '../support/folders.ts'

const same = (text: string): string => text
const numbered = (n: number): string[] => Array.from({ length: n }, (_, i) => `line ${i + 1}`)

describe('what became of a file, small enough to be sent along', () => {
  test('only the lines that differ, three around them, and where they begin', () => {
    const lines = numbered(1000)
    const after = lines.with(499, 'other').join('\n')
    expect(changedData({ path: 'a', before: `${lines.join('\n')}\n`, after: `${after}\n` }, same)).toEqual({
      path: 'a',
      action: 'changed',
      line: 497,
      before: ['line 497', 'line 498', 'line 499', 'line 500', 'line 501', 'line 502', 'line 503'].join('\n'),
      after: ['line 497', 'line 498', 'line 499', 'other', 'line 501', 'line 502', 'line 503'].join('\n'),
    })
  })

  test.each([
    ['a new file', null, 'x\ny\n', { action: 'created', line: 1, before: '', after: 'x\ny' }],
    ['a file that is gone', 'x\n', null, { action: 'deleted', line: 1, before: 'x', after: '' }],
    ['a file that was emptied', 'x\n', '', { action: 'changed', line: 1, before: 'x', after: '' }],
    ['the same line once more', 'x\nx\n', 'x\nx\nx\n', { action: 'changed', line: 1, before: 'x\nx', after: 'x\nx\nx' }],
  ])('%s', (_, before, after, expected) => {
    expect(changedData({ path: 'a', before, after }, same)).toEqual({ path: 'a', ...expected })
  })

  test('it is bounded and redacted', () => {
    const { after } = changedData({ path: 'a', before: null, after: 'secret '.repeat(100_000) }, text => text.replaceAll('secret', '***'))
    expect(after).toMatch(/^(\*{3} )+/)
    expect(JSON.stringify(after).length).toBeLessThanOrEqual(32 << 10)
  })
})

describe('a tool that writes', () => {
  async function change(onChange?: (change: Changed) => void): Promise<string> {
    const root = temporaryFolder()
    mkdirSync(join(root, 'src'))
    writeFileSync(join(root, 'src/a.js'), 'one\ntwo\n')
    const scene = { root, signal: new AbortController().signal, onOutput: () => undefined, ...(onChange && { onChange }) }
    const prepared = await edit.prepare({ path: 'src/a.js', search: 'two', replace: 'three' }, scene)
    await prepared.act()
    return readFileSync(join(root, 'src/a.js'), 'utf8')
  }

  test('tells the file before and after, once it is written', async () => {
    const told: Changed[] = []
    expect(await change(one => void told.push(one))).toBe('one\nthree\n')
    expect(told).toEqual([{ path: 'src/a.js', before: 'one\ntwo\n', after: 'one\nthree\n' }])
  })

  test('writes the same where nobody looks', async () => {
    expect(await change()).toBe('one\nthree\n')
  })
})
