import { existsSync, linkSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Clock, timestamp } from '../kernel/clock.ts'
import { Conflict, NotFound, QedError } from '../kernel/errors.ts'
import { Database } from './database.ts'
import { StoreCorrupt } from './errors.ts'
import { EventLog, type EventLogOptions } from './event-log.ts'
import { makeFolder } from './files.ts'
import { pendingMigrations, type StoreKind, schemaVersion } from './migrations.ts'
import type { Store } from './store.ts'
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
    await store.db.copyTo(partial)
    // A link and not a rename: it fails where another backup took the name meanwhile.
    linkSync(partial, path)
  } finally {
    rmSync(partial, { force: true })
  }
  return { path, bytes: fileSize(path), head: store.log.head() }
}

/** Gives space back to the file system. */
export function compactStore(store: Store): { before: number; after: number } {
  const before = fileSize(store.path) + fileSize(`${store.path}-wal`)
  store.db.get('PRAGMA wal_checkpoint(TRUNCATE)')
  store.db.exec('VACUUM')
  store.db.get('PRAGMA wal_checkpoint(TRUNCATE)')
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
  const plan = { target, source, events: count, head }
  if (!existsSync(target.path)) return { ...plan, present: 'nothing' }
  const present = tryOpen(target.path)
  if (!present) return { ...plan, present: 'broken' }
  try {
    refuseNewer(target.path, new EventLog(present, options).head()?.seq ?? 0, head?.seq ?? 0)
    return { ...plan, present: 'store' }
  } finally {
    present.close()
  }
}

/** Keeps what is there, puts the backup in its place, and says where the kept file is. */
export async function carryOutRestore({ target, source, present }: RestorePlan, clock: Clock): Promise<string | null> {
  const kept = present === 'nothing' ? null : join(target.keepIn, `before-restore-${timestamp(clock).replaceAll(':', '-')}.db`)
  if (kept !== null) makeFolder(target.keepIn, { private: true })
  if (kept !== null && present === 'store') await copyDatabase(target.path, kept)
  if (kept !== null && present === 'broken') moveAside(target.path, kept)
  makeFolder(dirname(target.path), { private: true })
  await copyDatabase(source, target.path)
  return kept
}

async function copyDatabase(from: string, to: string): Promise<void> {
  const db = new Database(from, modeOf(from))
  try {
    await db.copyTo(to)
  } finally {
    db.close()
  }
}

// Not readable as a database: the bytes are moved, never thrown away.
function moveAside(path: string, to: string): void {
  for (const suffix of ['', '-wal', '-shm']) if (existsSync(path + suffix)) renameSync(path + suffix, to + suffix)
}

function refuseNewer(path: string, store: number, backup: number): void {
  if (store <= backup) return
  throw new Conflict(`The store holds ${store} events, the backup only ${backup}: restoring would lose the newer ones.`, {
    details: { store, backup },
    next: { command: `mv ${path} ${path}.old`, why: 'Move the present store away first if the backup is really what you want.' },
  })
}

// A live store has a journal beside it; a backup made by QED has none, and then nothing is left beside it either.
function modeOf(path: string): 'read' | 'frozen' {
  return fileSize(`${path}-wal`) > 0 ? 'read' : 'frozen'
}

function inspect(path: string, kind: StoreKind, options: EventLogOptions) {
  const db = new Database(path, modeOf(path))
  try {
    pendingMigrations(db, kind)
    const report = verifyChain(new EventLog(db, options).rows())
    if (report.broken) throw new StoreCorrupt(path, `event ${report.broken.seq}: ${report.broken.reason}`)
    return report
  } finally {
    db.close()
  }
}

function tryOpen(path: string): Database | null {
  let db: Database | undefined
  try {
    db = new Database(path, 'read')
    db.get('SELECT seq FROM events LIMIT 1')
    return db
  } catch (error) {
    db?.close()
    if (error instanceof QedError && error.code !== 'integrity') throw error
    return null
  }
}

function fileSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
