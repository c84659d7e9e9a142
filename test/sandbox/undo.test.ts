import { describe, expect, test } from 'vitest'
import type { TreeEntry } from '../../src/sandbox/git/tree.ts'
import { planUndo, type UndoStep } from '../../src/sandbox/snapshot/undo.ts'

const files = (contents: Record<string, string>): Map<string, TreeEntry> =>
  new Map(Object.entries(contents).map(([path, oid]) => [path, { path, mode: '100644', oid }]))
const step = (by: UndoStep['by'], contents: Record<string, string>): UndoStep => ({ by, files: files(contents) })
const now = (contents: Record<string, string>, unsaved: Record<string, string> = {}) => ({
  files: files(contents),
  unsaved: new Map(Object.entries(unsaved)),
})
const blocked = (path: string) => ({ path, why: 'someone else has changed it since' })

describe('an undo', () => {
  const base = step('other', { a: '1', b: '1', gone: '1' })
  const done = step('run', { a: '2', b: '1', made: '1' })

  test('takes back what the run changed, made and removed, and nothing else', () => {
    expect(planUndo([base, done], now({ a: '2', b: '1', made: '1', mine: '1' }))).toEqual({
      changes: [
        { path: 'a', kind: 'modified' },
        { path: 'gone', kind: 'added' },
        { path: 'made', kind: 'deleted' },
      ],
      blocked: [],
    })
  })

  test('has nothing to do where someone has taken it back already', () => {
    expect(planUndo([base, done], now({ a: '1', b: '1', gone: '1' }))).toEqual({ changes: [], blocked: [] })
  })

  test('is blocked by what someone else changed, removed or made at the same path since', () => {
    expect(planUndo([base, done], now({ a: '3', gone: '2', b: '1' })).blocked).toEqual([blocked('a'), blocked('gone')])
  })

  test('is blocked by what someone else changed at the same path while the run worked, and leaves their other files', () => {
    const theirs = step('other', { a: '3', b: '9', made: '1' })
    const again = step('run', { a: '4', b: '9', made: '1' })
    expect(planUndo([base, done, theirs, again], now({ a: '4', b: '9', made: '1' }))).toEqual({
      changes: [
        { path: 'gone', kind: 'added' },
        { path: 'made', kind: 'deleted' },
      ],
      blocked: [blocked('a')],
    })
  })

  test('is blocked by what stands there and could not be saved', () => {
    const grown = step('run', { b: '1', gone: '1' })
    expect(planUndo([base, grown], now({ b: '1', gone: '1' }, { a: 'too-big' }))).toEqual({
      changes: [],
      blocked: [{ path: 'a', why: 'what is there now could not be saved (too-big)' }],
    })
  })

  test('of something that the run itself took back is none', () => {
    expect(planUndo([base, done, step('run', { a: '1', b: '1', gone: '1' })], now({ a: '1', b: '1', gone: '1' }))).toEqual({
      changes: [],
      blocked: [],
    })
  })
})
