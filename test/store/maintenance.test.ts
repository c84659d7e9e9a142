import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { personalStore, projectStore } from '../../src/store/kinds.ts'
import {
  backupStore,
  carryOutRestore,
  compactStore,
  emptyJournal,
  planRestore,
  type RestoreTarget,
  storeStats,
} from '../../src/store/maintenance.ts'
import { verifyChain } from '../../src/store/verify-chain.ts'
import { temporaryFolder } from '../support/folders.ts'
import { logOptions } from '../support/log-options.ts'
import { happen, testStore } from '../support/store.ts'

function scene() {
  const folder = temporaryFolder()
  const path = join(folder, 'qed.db')
  return { folder, path, backup: join(folder, 'backup.db'), target: { path, kind: projectStore, keepIn: join(folder, 'kept') } }
}

async function restore(target: RestoreTarget, from: string) {
  const plan = planRestore(target, from, logOptions())
  return { ...plan, kept: carryOutRestore(plan, logOptions().clock) }
}

test('stats name the tables with their rows and the head of the log', () => {
  const store = testStore()
  happen(store, 3)
  expect(storeStats(store)).toMatchObject({
    kind: 'project',
    schema: 4,
    tables: expect.arrayContaining([
      { name: 'calls', rows: 0 },
      { name: 'events', rows: 3 },
      { name: 'runs', rows: 0 },
      { name: 'schema_migrations', rows: 4 },
    ]),
    head: { seq: 3 },
  })
})

test('a backup is whole, appears only complete, and never overwrites', async () => {
  const { folder, path, backup } = scene()
  const store = testStore({ path })
  happen(store, 4)
  expect(await backupStore(store, backup)).toMatchObject({ path: backup, head: { seq: 4 } })
  expect(readdirSync(folder).filter(name => name.includes('partial'))).toEqual([])
  await expect(backupStore(store, backup)).rejects.toMatchObject({ code: 'conflict' })
})

test('a lost store comes back from its backup', async () => {
  const { path, backup, target } = scene()
  const store = testStore({ path })
  happen(store, 4)
  await backupStore(store, backup)
  store.close()
  const elsewhere = { ...target, path: join(temporaryFolder(), 'qed.db') }
  expect(await restore(elsewhere, backup)).toMatchObject({ events: 4, present: 'nothing', kept: null })
  expect(verifyChain(testStore({ path: elsewhere.path }).log.rows())).toMatchObject({ ok: true, count: 4 })
})

test('a broken store is moved aside, byte for byte, and the backup takes its place', async () => {
  const { path, backup, target } = scene()
  const store = testStore({ path })
  happen(store, 2)
  await backupStore(store, backup)
  store.close()
  writeFileSync(path, 'rubbish'.repeat(1000))
  const { kept } = await restore(target, backup)
  expect(readFileSync(kept ?? '', 'utf8')).toBe('rubbish'.repeat(1000))
  expect(testStore({ path }).log.head()?.seq).toBe(2)
})

test('a store that knows more than the backup is not replaced', async () => {
  const { path, backup, target } = scene()
  const store = testStore({ path })
  happen(store, 2)
  await backupStore(store, backup)
  happen(store, 1)
  await expect(restore(target, backup)).rejects.toMatchObject({ code: 'conflict', details: { store: 3, backup: 2 } })
  expect(store.log.head()?.seq).toBe(3)
})

test('a restore is seen by a process that has the store open', async () => {
  const { path, backup, target } = scene()
  const store = testStore({ path })
  happen(store, 5)
  await backupStore(store, backup)
  const { kept } = await restore(target, backup)
  expect(store.log.head()?.seq).toBe(5)
  happen(store, 1)
  expect(verifyChain(store.log.rows())).toMatchObject({ ok: true, count: 6 })
  expect(existsSync(kept ?? '')).toBe(true)
})

test.each([
  ['a tampered backup', 'integrity'],
  ['the backup of a personal store', 'unsupported'],
  ['no backup', 'not_found'],
])('%s is refused and the store stays', async (what, code) => {
  const { path, backup, target } = scene()
  const source = testStore({ path: join(temporaryFolder(), 'qed.db'), kind: code === 'unsupported' ? personalStore : projectStore })
  happen(source, 3)
  if (code !== 'not_found') await backupStore(source, backup)
  if (what === 'a tampered backup') testStore({ path: backup }).db.exec("UPDATE events SET data = '{}' WHERE seq = 2")
  happen(testStore({ path }), 1)
  await expect(restore(target, backup)).rejects.toMatchObject({ code })
  expect(testStore({ path }).log.head()?.seq).toBe(1)
})

test('compacting gives space back and keeps every event', () => {
  const store = testStore()
  for (let i = 0; i < 200; i++) store.log.append('test', 'test.happened', { text: 'x'.repeat(4000) })
  store.db.exec('CREATE TABLE junk AS SELECT * FROM events; DROP TABLE junk')
  const { before, after } = compactStore(store)
  expect(after).toBeLessThan(before)
  expect(verifyChain(store.log.rows())).toMatchObject({ ok: true, count: 200 })
})

test('events appended after the plan was made are seen, and the restore is given up', async () => {
  const { path, backup, target } = scene()
  const store = testStore({ path })
  happen(store, 2)
  await backupStore(store, backup)
  const plan = planRestore(target, backup, logOptions())
  happen(store, 1)
  expect(() => carryOutRestore(plan, logOptions().clock)).toThrow(expect.objectContaining({ code: 'conflict' }))
  expect(verifyChain(store.log.rows())).toMatchObject({ ok: true, count: 3 })
})

test('a store whose last pages are gone counts as broken and can be restored', async () => {
  const { path, backup, target } = scene()
  const store = testStore({ path })
  happen(store, 2000)
  await backupStore(store, backup)
  emptyJournal(store.db)
  store.close()
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.fill(0, bytes.length - 40 * 4096))
  expect(await restore(target, backup)).toMatchObject({ present: 'broken' })
  expect(verifyChain(testStore({ path }).log.rows())).toMatchObject({ ok: true, count: 2000 })
})

test('U-42 backups, kept files and restored stores are private', async () => {
  const { path, backup, target } = scene()
  const store = testStore({ path })
  happen(store, 1)
  await backupStore(store, backup)
  store.close()
  writeFileSync(path, 'rubbish')
  await restore(target, backup)
  for (const file of [backup, path]) expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
})

test.each(['/proc/x/y/backup.db', '/dev/null/backup.db'])('a backup to %s is refused at once', async to => {
  await expect(backupStore(testStore(), to)).rejects.toMatchObject({ code: 'unavailable' })
})
