import { describe, expect, test } from 'vitest'
import { strangeTo } from '../../src/engine/work/strange.ts'
import type { IsolationFacets } from '../../src/kernel/isolation.ts'

const walls = (scope: IsolationFacets['scope'], writable: string[] = ['/p/src']) => ({
  writable,
  facets: { scope, tmp: 'private', home: 'masked', git: 'read-only', sockets: 'masked', userns: 'disabled' } as const,
})
const judged = (isolation: ReturnType<typeof walls> | null, path: string, isNew: boolean): boolean =>
  strangeTo(['src/*.ts'], { root: '/p', isolation })(path, isNew)

describe('S-29 what a command changed is put back', () => {
  test('where nothing held it: everything outside the scope, and nothing inside', () => {
    for (const isolation of [null, walls('host')]) {
      expect(['src/a.ts', 'src/a.js', 'README.md'].map(path => judged(isolation, path, false))).toEqual([false, true, true])
    }
  })

  test('behind walls: what it could have made, never what was closed to it', () => {
    const seen = (scope: IsolationFacets['scope']) =>
      [
        ['src/new.js', true],
        ['src/old.js', false],
        ['README.md', false],
        ['new.md', true],
      ].map(([path, isNew]) => judged(walls(scope), String(path), isNew === true))
    expect(seen('owned')).toEqual([true, false, false, false])
    expect(seen('directory')).toEqual([true, true, false, false])
  })

  test('a folder that only begins like a writable one is closed', () => {
    expect(judged(walls('directory'), 'src-other/x', true)).toBe(false)
  })
})
