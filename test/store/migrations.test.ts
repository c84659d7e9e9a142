import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { sha256 } from '../../src/kernel/sha256.ts'
import { personalStore, projectStore } from '../../src/store/kinds.ts'
import type { Migration, StoreKind } from '../../src/store/migrations.ts'
import { temporaryFolder } from '../support/folders.ts'
import { happen, testStore } from '../support/store.ts'

const withMigrations = (...migrations: Migration[]): StoreKind => ({ ...projectStore, migrations })
const [one, two] = [
  { version: 1, name: 'one', sql: 'CREATE TABLE one (a TEXT)' },
  { version: 2, name: 'two', sql: 'ALTER TABLE one ADD COLUMN b TEXT' },
]

test('migrations that have landed never change', () => {
  const digests = [...projectStore.migrations, ...personalStore.migrations].map(
    ({ version, name, sql }) => `${version} ${name} ${sha256(sql).slice(0, 12)}`,
  )
  expect(digests).toMatchInlineSnapshot(`
    [
      "1 events d806d59b4bc4",
      "2 calls db09c3177897",
      "3 runs c1b9f2773f1f",
      "4 kept snapshots, and runs by alias 281d85af7174",
      "1 events d806d59b4bc4",
      "2 trust fed08a9fa6e2",
    ]
  `)
})

test('a store is brought forward step by step and keeps its rows', () => {
  const path = join(temporaryFolder(), 'qed.db')
  const old = testStore({ path, kind: withMigrations(one) })
  old.db.run('INSERT INTO one VALUES (?)', 'kept')
  old.close()
  expect({ ...testStore({ path, kind: withMigrations(one, two) }).db.get('SELECT * FROM one') }).toEqual({ a: 'kept', b: null })
})

test('a migration that fails leaves the store as it was', () => {
  const path = join(temporaryFolder(), 'qed.db')
  testStore({ path, kind: withMigrations(one) }).close()
  const broken = { version: 2, name: 'broken', sql: 'CREATE TABLE half (a TEXT); CREATE TABLE one (a TEXT)' }
  expect(() => testStore({ path, kind: withMigrations(one, broken) })).toThrow(/table one already exists/)
  const tables = testStore({ path, kind: withMigrations(one) }).db.all("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
  expect(tables.map(row => row['name'])).toEqual(['one', 'schema_migrations'])
})

test('a store of a newer program is refused with both numbers and left untouched', () => {
  const path = join(temporaryFolder(), 'qed.db')
  testStore({ path, kind: withMigrations(one, two) }).close()
  expect(() => testStore({ path, kind: withMigrations(one) })).toThrow(
    expect.objectContaining({ code: 'migration_needed', details: { path, found: 2, known: 1 } }),
  )
})

test('an applied migration that was edited afterwards is refused', () => {
  const path = join(temporaryFolder(), 'qed.db')
  testStore({ path, kind: withMigrations(one) }).close()
  const edited = { ...one, sql: 'CREATE TABLE one (a TEXT, sneaked TEXT)' }
  expect(() => testStore({ path, kind: withMigrations(edited) })).toThrow(expect.objectContaining({ code: 'integrity' }))
})

test('project and personal stores are never mixed', () => {
  const path = join(temporaryFolder(), 'qed.db')
  testStore({ path, kind: personalStore }).close()
  expect(() => testStore({ path, kind: projectStore })).toThrow(expect.objectContaining({ code: 'unsupported' }))
})

test.each([
  ['bytes that are no database', (path: string) => writeFileSync(path, 'this is not a database, whatever its name says'.repeat(100))],
  ['the database of another program', (path: string) => new DatabaseSync(path).exec('CREATE TABLE theirs (a)')],
])('%s is reported and never replaced', (_, make) => {
  const path = join(temporaryFolder(), 'qed.db')
  make(path)
  const before = statSync(path)
  expect(() => testStore({ path })).toThrow(expect.objectContaining({ code: 'integrity' }))
  expect(statSync(path).size).toBe(before.size)
})

test('the file is private', () => {
  const store = testStore()
  happen(store, 1)
  expect((statSync(store.path).mode & 0o777).toString(8)).toBe('600')
})

test('a place that cannot hold a store is said to be so', () => {
  const file = join(temporaryFolder(), 'a-file')
  writeFileSync(file, '')
  expect(() => testStore({ path: join(file, 'qed.db') })).toThrow(expect.objectContaining({ code: 'unavailable' }))
})

test('I-10 a full disk is disk_full, nothing is half written, and work goes on when there is space', () => {
  const store = testStore()
  happen(store, 5)
  const pages = Number(Object.values(store.db.get('PRAGMA page_count') ?? {})[0])
  store.db.exec(`PRAGMA max_page_count = ${pages + 1}`)
  const fill = (): void => {
    for (;;) store.log.append('test', 'test.happened', { text: 'x'.repeat(3000) })
  }
  expect(fill).toThrow(expect.objectContaining({ code: 'disk_full', next: expect.objectContaining({ command: 'qed store stats' }) }))
  const stopped = store.log.head()?.seq ?? 0
  expect(store.db.all('SELECT seq FROM events')).toHaveLength(stopped)
  store.db.exec('PRAGMA max_page_count = 1000000')
  expect(store.log.append('test', 'test.happened', {}).seq).toBe(stopped + 1)
})

test('a store that another process keeps locked is busy, not broken', () => {
  const store = testStore()
  const other = new DatabaseSync(store.path)
  other.exec('BEGIN IMMEDIATE')
  store.db.exec('PRAGMA busy_timeout = 50')
  expect(() => happen(store, 1)).toThrow(expect.objectContaining({ code: 'busy' }))
  other.exec('ROLLBACK')
  other.close()
  happen(store, 1)
})
