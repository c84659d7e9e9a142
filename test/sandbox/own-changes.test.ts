import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ownChanges, type Step } from '../../src/sandbox/snapshot/own-changes.ts'
import { house } from './house.ts'
import { newRun, write } from './support.ts'

/** Each step is a set of files that are written, or removed where there is no content. */
async function changedBy(...steps: [by: Step['by'], files: Record<string, string | null>][]): Promise<string[]> {
  const { snapshots, project, base, driver } = house({ 'src/a': 'a\n', 'src/b': 'b\n' })
  const run = newRun()
  const saved: Step[] = []
  for (const [by, files] of steps) {
    for (const [path, content] of Object.entries(files)) {
      if (content === null) rmSync(join(project, path))
      else write(project, { [path]: content })
    }
    const { tree } = await snapshots.take({ run, root: project, base, reason: 'test' })
    saved.push({ by, tree })
  }
  return ownChanges(driver, saved)
}

describe('what a run changed', () => {
  test('is what differs between its first and its last snapshot, over all its turns', async () => {
    const steps = await changedBy(['other', {}], ['run', { 'src/a': '1' }], ['run', { 'src/b': null, 'ü new': 'x' }], ['other', {}])
    expect(steps).toEqual(['src/a', 'src/b', 'ü new'])
  })

  test('does not hold what it took back itself', async () => {
    expect(await changedBy(['other', {}], ['run', { made: 'x', 'src/a': '1' }], ['run', { made: null, 'src/a': 'a\n' }])).toEqual([])
  })

  test('does not hold what somebody else changed, before, meanwhile or after', async () => {
    const steps = await changedBy(
      ['other', { mine: 'before' }],
      ['run', { 'src/a': '1' }],
      ['other', { 'src/b': 'by hand' }],
      ['run', { 'src/a': '2' }],
      ['other', { late: 'by hand' }],
    )
    expect(steps).toEqual(['src/a'])
  })

  test('does not hold what somebody else put back', async () => {
    expect(await changedBy(['other', {}], ['run', { 'src/a': '1', 'src/b': '1' }], ['other', { 'src/a': 'a\n' }])).toEqual(['src/b'])
  })

  test('is nothing where nothing was saved', async () => {
    expect([await changedBy(), await changedBy(['other', {}]), await changedBy(['other', {}], ['other', {}])]).toEqual([[], [], []])
  })
})
