import { createHash } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/kernel/clock.ts'
import type { RunId } from '../../src/kernel/ids.ts'
import { type PackedObject, packOf } from '../../src/sandbox/objects/pack.ts'
import { DEFAULT_OUTPUTS } from '../../src/sandbox/scope/outputs.ts'
import { createSnapshots, type Snapshots } from '../../src/sandbox/snapshot/snapshots.ts'
import type { Database } from '../../src/store/database.ts'
import { temporaryFolder } from '../support/folders.ts'
import { testStore } from '../support/store.ts'
import { type House, house } from './house.ts'
import { git, newRun, write } from './support.ts'

// What a run saves turn by turn waits in the store until someone wants to see it. Nobody may be able to tell.

const FILES = { 'a.txt': 'a\n', 'src/b.txt': 'b\n', '.gitignore': 'dist/\n' }

interface Kept extends House {
  db: Database
  /** As another process would have it. */
  again: () => Snapshots
  refs: () => string[]
}

function kept(): Kept {
  const path = join(temporaryFolder(), 'qed.db')
  const { db } = testStore({ path })
  const h = house(FILES, { db })
  const again = (): Snapshots =>
    createSnapshots({
      git: h.driver,
      state: h.state,
      clock: systemClock,
      isSensitive: () => false,
      skip: DEFAULT_OUTPUTS,
      db: testStore({ path }).db,
    })
  return {
    ...h,
    db,
    again,
    refs: () => git(h.project, 'for-each-ref', '--format=%(refname:lstrip=4)', 'refs/qed/').split('\n').filter(Boolean),
  }
}

async function savedTurns(h: Kept, contents: readonly string[]): Promise<string[]> {
  const run = newRun()
  const watch = await h.snapshots.watch({ root: h.project, base: h.base })
  const refs = []
  for (const content of contents) {
    write(h.project, { 'src/b.txt': content })
    ;(await watch.look(['src/b.txt'])).take()
    refs.push((await watch.save({ run, reason: 'turn' })).ref)
  }
  return refs
}
const shown = (h: Kept, refs: readonly string[]): string[] => refs.map(ref => git(h.project, 'show', `${ref}:src/b.txt`))

const collect = (root: string): string => git(root, '-c', 'gc.reflogExpire=now', 'gc', '--quiet', '--prune=now')

describe('snapshots that wait', () => {
  test('the first one of a run is in git at once, so that nothing it names can be collected; the others come when they are wanted', async () => {
    const h = kept()
    const refs = await savedTurns(h, ['1', '2', '3'])
    expect(h.refs()).toEqual(['1'])
    expect((await h.snapshots.list()).map(({ ref }) => ref)).toEqual(refs)
    expect(shown(h, refs)).toEqual(['1', '2', '3'])
    expect(git(h.project, 'fsck', '--strict', '--no-dangling')).toBe('')
  })

  test.each([
    ['list', async (snapshots: Snapshots) => void (await snapshots.list())],
    ['read', async (snapshots: Snapshots, ref: string) => void (await snapshots.read(ref))],
    ['publish', (snapshots: Snapshots) => snapshots.publish()],
  ])('another process that wants to see them gets all of them: %s', async (_how, look) => {
    const h = kept()
    const refs = await savedTurns(h, ['1', '2', '3'])
    await look(h.again(), refs.at(-1) ?? '')
    expect(shown(h, refs)).toEqual(['1', '2', '3'])
    expect(h.db.all('SELECT oid FROM kept_objects UNION SELECT ref FROM kept_refs')).toEqual([])
  })

  test('S-26 a collection that removes everything it can takes nothing away, before and after they are in git', async () => {
    const h = kept()
    const refs = await savedTurns(h, ['1', '2', 'x'.repeat(100_000), '4', '5'])
    collect(h.project)
    await h.snapshots.publish()
    collect(h.project)
    expect(shown(h, refs)).toEqual(['1', '2', 'x'.repeat(100_000), '4', '5'])
    expect(git(h.project, 'fsck', '--strict', '--no-dangling')).toBe('')
  })

  describe.each([
    ['a small file', 'y'],
    ['a large file', 'y'.repeat(100_000)],
  ])('what was read before others wrote to the repository, and named after that, is held: %s', (_which, content) => {
    const changed = async (h: Kept, run: RunId) => {
      const watch = await h.snapshots.watch({ root: h.project, base: h.base })
      await watch.save({ run, reason: '1' })
      write(h.project, { 'src/b.txt': content })
      ;(await watch.look(['src/b.txt'])).take()
      return watch
    }
    const shownAfterKill = async (h: Kept, ref: string): Promise<string[]> => {
      collect(h.project)
      await h.again().publish()
      return [...shown(h, [ref]), git(h.project, 'fsck', '--strict', '--no-dangling')]
    }
    test('they were listed in between', async () => {
      const h = kept()
      const run = newRun()
      const watch = await changed(h, run)
      await h.snapshots.list()
      expect(await shownAfterKill(h, (await watch.save({ run, reason: '2' })).ref)).toEqual([content, ''])
    })
    test('another run of the same process saved in between, and all was published by another process', async () => {
      const h = kept()
      const [run, other] = [newRun(), newRun()]
      const elsewhere = temporaryFolder()
      const beside = await h.snapshots.watch({ root: elsewhere, base: null })
      await beside.save({ run: other, reason: '1' })
      const watch = await changed(h, run)
      await beside.save({ run: other, reason: '2' })
      await h.again().publish()
      expect(await shownAfterKill(h, (await watch.save({ run, reason: '2' })).ref)).toEqual([content, ''])
    })
  })

  test('what builds on another repository that was at the same path is not put into this one', async () => {
    const h = kept()
    await savedTurns(h, ['1', '2', '3'])
    renameSync(join(h.project, '.git'), join(h.folder, 'first'))
    for (const args of [
      ['init', '--quiet'],
      ['add', '-A'],
      ['commit', '--quiet', '-m', 'new'],
    ])
      git(h.project, ...args)
    expect(await h.again().list()).toEqual([])
    expect(git(h.project, 'fsck', '--strict', '--no-dangling')).toBe('')
    rmSync(join(h.project, '.git'), { recursive: true })
    renameSync(join(h.folder, 'first'), join(h.project, '.git'))
    expect(await h.again().list()).toHaveLength(3)
  })

  test('what a run begins with goes straight into the repository, however much it is', async () => {
    const h = kept()
    write(h.project, Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`new/${i}.txt`, `${i}\n`])))
    const before = h.db.get<{ page_count: number }>('PRAGMA page_count')
    await savedTurns(h, ['1'])
    expect(h.db.get('PRAGMA page_count')).toEqual(before)
    expect(git(h.project, 'fsck', '--strict', '--no-dangling')).toBe('')
  })

  test('the process that goes on where another published has its own, and numbers go on', async () => {
    const h = kept()
    const run = newRun()
    const watch = await h.snapshots.watch({ root: h.project, base: h.base })
    const one = await watch.save({ run, reason: '1' })
    const two = await watch.save({ run, reason: '2' })
    await h.again().publish()
    const three = await watch.save({ run, reason: '3' })
    const other = await h.again().take({ run, root: h.project, base: h.base, reason: '4' })
    expect([one, two, three, other].map(({ n }) => n)).toEqual([1, 2, 3, 4])
    expect(h.refs()).toEqual(['1', '2', '3', '4'])
  })

  test('a process that was killed while it published leaves nothing that stops the next one', async () => {
    const h = kept()
    const refs = await savedTurns(h, ['1', '2', '3'])
    const folder = join(h.project, '.git', refs[1] ?? '', '..')
    writeFileSync(join(folder, '2.lock'), '')
    writeFileSync(join(h.project, '.git/objects/pack/tmp_pack_1_1'), 'half a pa')
    await h.again().publish()
    // It had done everything but to say so.
    h.db.run('INSERT INTO kept_refs (ref, commit_oid) VALUES (?, ?)', refs[1] ?? '', git(h.project, 'rev-parse', refs[1] ?? ''))
    await h.again().publish()
    expect(shown(h, refs)).toEqual(['1', '2', '3'])
  })

  test('what cannot be put into the repository stays in the store, and says so', async () => {
    const h = kept()
    const refs = await savedTurns(h, ['1', '2', '3'])
    const packs = join(h.project, '.git/objects/pack')
    renameSync(packs, `${packs}.away`)
    writeFileSync(packs, 'in the way')
    await expect(h.snapshots.list()).rejects.toMatchObject({ code: expect.any(String) })
    expect(h.db.all('SELECT ref FROM kept_refs')).toHaveLength(2)
    rmSync(packs)
    renameSync(`${packs}.away`, packs)
    await h.snapshots.list()
    expect(shown(h, refs)).toEqual(['1', '2', '3'])
  })
})

test('a pack is one that git takes for its own, whatever is in it', () => {
  const root = temporaryFolder()
  git(root, 'init', '--quiet')
  const packs = join(root, '.git/objects/pack')
  mkdirSync(packs, { recursive: true })
  const content = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.integer({ min: 0, max: 5000 }).map(size => new Uint8Array(size)),
  )
  fc.assert(
    fc.property(fc.array(content, { minLength: 1, maxLength: 30 }), contents => {
      const blobs = new Map(contents.map(one => [oidOf(one), one]))
      const objects = Array.from(blobs, ([oid, one]): PackedObject => ({ oid, kind: 'blob', size: one.length, bytes: deflateSync(one) }))
      const { name, pack, index } = packOf(objects)
      writeFileSync(join(packs, `pack-${name}.pack`), pack)
      writeFileSync(join(packs, `pack-${name}.idx`), index)
      expect(git(root, 'verify-pack', '-v', join(packs, `pack-${name}.pack`))).toContain(objects[0]?.oid)
    }),
    { numRuns: 20 },
  )
  expect(git(root, 'fsck', '--full', '--no-dangling')).toBe('')
})

function oidOf(content: Uint8Array): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex')
}
