import { existsSync, linkSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Clock, timestamp } from '../kernel/clock.ts'
import { Conflict, NotFound, QedError } from '../kernel/errors.ts'
import { Database } from './database.ts'
import { StoreCorrupt } from './errors.ts'
import { EventLog, type EventLogOptions } from './event-log.ts'
import { fileError, makeFolder } from './files.ts'
import { pendingMigrations, type StoreKind, schemaVersion } from './migrations.ts'
import { createPrivate, readMode, type Store } from './store.ts'
import { verifyChain } from './verify-chain.ts'

export interface StoreStats {
  path: string
  kind: string
  schema: number
  bytes: { database: number; journal: number; free: number }
  tables: { name: string; rows: number }[]
  head: { seq: number; hash: string } | null
}

export function storeStats(store: Store): StoreStats {
  const pragma = (name: string): number => Number(Object.values(store.db.get(`PRAGMA ${name}`) ?? {})[0] ?? 0)
  const names = store.db.all<{ name: string }>(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`,
  )
  return {
    path: store.path,
    kind: store.kind.name,
    schema: schemaVersion(store.kind),
    bytes: { database: fileSize(store.path), journal: fileSize(`${store.path}-wal`), free: pragma('freelist_count') * pragma('page_size') },
    tables: names.map(({ name }) => ({ name, rows: store.db.get<{ n: number }>(`SELECT count(*) AS n FROM "${name}"`)?.n ?? 0 })),
    head: store.log.head(),
  }
}

/** Where a backup would go; refuses to overwrite. */
export function planBackup(to: string): string {
  const path = resolve(to)
  if (!existsSync(path)) return path
  throw new Conflict(`${path} is there already and was left as it is.`, {
    next: { command: 'qed store backup <another file>', why: 'Name a file that does not exist yet.' },
  })
}

/** Writes a whole copy beside everything that goes on. The copy appears under its name only when it is complete. */
export async function backupStore(store: Store, to: string): Promise<{ path: string; bytes: number; head: StoreStats['head'] }> {
  const path = planBackup(to)
  makeFolder(dirname(path), { private: true })
  const partial = `${path}.${process.pid}.partial`
  try {
    createPrivate(partial)
    await store.db.copyTo(partial)
    // A link and not a rename: it fails where another backup took the name meanwhile.
    linkSync(partial, path)
  } catch (error) {
    throw fileError(error, path)
  } finally {
    rmSync(partial, { force: true })
  }
  return { path, bytes: fileSize(path), head: store.log.head() }
}

/** Writes the journal back and empties it, so that no old bytes are left in it. False where another process still reads them. */
export function emptyJournal(db: Database): boolean {
  return db.get<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)')?.busy === 0
}

export function backupFolder(projectFolder: string): string {
  return join(projectFolder, 'backups')
}

export function listBackups(projectFolder: string): string[] {
  const folder = backupFolder(projectFolder)
  return existsSync(folder)
    ? readdirSync(folder)
        .filter(name => name.endsWith('.db'))
        .map(name => join(folder, name))
    : []
}

/** Gives space back to the file system. */
export function compactStore(store: Store): { before: number; after: number } {
  const before = fileSize(store.path) + fileSize(`${store.path}-wal`)
  emptyJournal(store.db)
  store.db.exec('VACUUM')
  emptyJournal(store.db)
  return { before, after: fileSize(store.path) + fileSize(`${store.path}-wal`) }
}

export interface RestoreTarget {
  path: string
  kind: StoreKind
  /** Folder for what is replaced. */
  keepIn: string
}

export interface RestorePlan {
  target: RestoreTarget
  source: string
  /** Events in the backup. */
  events: number
  head: StoreStats['head']
  /** What stands where the backup is to go. */
  present: 'nothing' | 'store' | 'broken'
}

/** What a restore would do. Refuses a backup that is not sound, and a store that is newer than the backup: what only the store
 *  knows would be lost. Changes nothing. */
export function planRestore(target: RestoreTarget, from: string, options: EventLogOptions): RestorePlan {
  const source = resolve(from)
  if (!existsSync(source)) throw new NotFound(`There is no backup at ${source}.`)
  const { count, head } = inspect(source, target.kind, options)
  const present = presentAt(target)
  if (present.kind === 'store') refuseNewer(present.events, head?.seq ?? 0)
  return { target, source, events: count, head, present: present.kind }
}

/** Keeps what is there, puts the backup in its place, and says where the kept file is. */
export function carryOutRestore({ target, source, events, present }: RestorePlan, clock: Clock): string | null {
  const kept = present === 'nothing' ? null : join(target.keepIn, `before-restore-${timestamp(clock).replaceAll(':', '-')}.db`)
  makeFolder(dirname(target.path), { private: true })
  if (kept !== null) makeFolder(target.keepIn, { private: true })
  if (present === 'store') replaceContents(target.path, source, { kept: kept ?? '', events })
  else replaceFile(target.path, source, kept)
  return kept
}

/** In one transaction of the live store: whoever has it open sees the old contents or the new ones, and what was appended
 *  since the plan was made is seen before anything is lost. */
function replaceContents(path: string, source: string, { kept, events }: { kept: string; events: number }): void {
  const db = new Database(path)
  try {
    db.run('ATTACH DATABASE ? AS backup', `${pathToFileURL(source).href}?mode=ro${readMode(source) === 'frozen' ? '&immutable=1' : ''}`)
    db.transaction(() => {
      refuseNewer(lastEvent(db), events)
      copyNow(path, kept)
      for (const { name } of tablesOf(db, 'main')) db.exec(`DROP TABLE main."${name}"`)
      for (const { sql } of db.all<{ sql: string }>(`SELECT sql FROM backup.sqlite_schema WHERE sql IS NOT NULL ORDER BY type DESC`))
        db.exec(sql)
      for (const { name } of tablesOf(db, 'backup')) db.exec(`INSERT INTO main."${name}" SELECT * FROM backup."${name}"`)
    })
  } finally {
    db.close()
  }
}

/** Where there is no database that others could have open: a whole copy first, then one rename. */
function replaceFile(path: string, source: string, kept: string | null): void {
  const partial = `${path}.${process.pid}.partial`
  try {
    copyNow(source, partial)
    // Not readable as a database: the bytes are moved, never thrown away.
    if (kept !== null) for (const suffix of ['', '-wal', '-shm']) if (existsSync(path + suffix)) renameSync(path + suffix, kept + suffix)
    renameSync(partial, path)
  } catch (error) {
    throw fileError(error, path)
  } finally {
    rmSync(partial, { force: true })
  }
}

function copyNow(from: string, to: string): void {
  const db = new Database(from, readMode(from))
  try {
    createPrivate(to)
    db.run('VACUUM INTO ?', to)
  } finally {
    db.close()
  }
}

function tablesOf(db: Database, schema: 'main' | 'backup'): { name: string }[] {
  return db.all<{ name: string }>(
    `SELECT name FROM ${schema}.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`,
  )
}

function lastEvent(db: Database): number {
  return db.get<{ seq: number }>('SELECT coalesce(max(seq), 0) AS seq FROM main.events')?.seq ?? 0
}

function refuseNewer(store: number, backup: number): void {
  if (store <= backup) return
  throw new Conflict(`The store holds ${store} events, the backup only ${backup}: restoring would lose the newer ones.`, {
    details: { store, backup },
    next: {
      operation: 'store.backup',
      command: 'qed store backup',
      why: 'Keep the present store; then move the whole .qed/ away and restore.',
    },
  })
}

/** What stands at the place of a store. A file that cannot be read to its end as one is broken. */
function presentAt({ path, kind }: RestoreTarget): { kind: 'nothing' | 'broken' } | { kind: 'store'; events: number } {
  if (!existsSync(path) && !existsSync(`${path}-wal`)) return { kind: 'nothing' }
  let db: Database | undefined
  try {
    db = new Database(path, readMode(path))
    pendingMigrations(db, kind)
    const sound = db.get<{ integrity_check: string }>('PRAGMA integrity_check(1)')?.integrity_check === 'ok'
    return sound ? { kind: 'store', events: lastEvent(db) } : { kind: 'broken' }
  } catch (error) {
    if (error instanceof QedError && !['integrity', 'unavailable'].includes(error.code)) throw error
    return { kind: 'broken' }
  } finally {
    db?.close()
  }
}

function inspect(path: string, kind: StoreKind, options: EventLogOptions) {
  const db = new Database(path, readMode(path))
  try {
    pendingMigrations(db, kind)
    const report = verifyChain(new EventLog(db, options).rows())
    if (report.broken) throw new StoreCorrupt(path, `event ${report.broken.seq}: ${report.broken.reason}`)
    return report
  } finally {
    db.close()
  }
}

function fileSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
