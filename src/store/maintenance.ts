import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { timestamp } from '../kernel/clock.ts'
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

/** Writes a whole copy beside everything that goes on. The copy appears under its name only when it is complete. */
export async function backupStore(store: Store, to: string): Promise<{ path: string; bytes: number; head: StoreStats['head'] }> {
  const path = resolve(to)
  if (existsSync(path)) {
    throw new Conflict(`${path} is there already and was left as it is.`, {
      next: { command: 'qed store backup <another file>', why: 'Name a file that does not exist yet.' },
    })
  }
  makeFolder(dirname(path), { private: true })
  const partial = `${path}.${process.pid}.partial`
  try {
    await store.db.copyTo(partial)
    renameSync(partial, path)
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

export interface Restored {
  path: string
  events: number
  head: StoreStats['head']
  /** Where the store that was there before is kept. */
  kept: string | null
}

/** Puts a backup in the place of a store. Refuses a backup that is not sound, and a store that is newer than the backup: what
 *  only the store knows would be lost. Whatever was there is kept. */
export async function restoreStore(
  target: { path: string; kind: StoreKind; keepIn: string },
  from: string,
  options: EventLogOptions,
): Promise<Restored> {
  const source = resolve(from)
  if (!existsSync(source)) throw new NotFound(`There is no backup at ${source}.`)
  const report = inspect(source, target.kind, options)
  const kept = await keepPresent(target, report.head, options)
  const backup = new Database(source, modeOf(source))
  try {
    makeFolder(dirname(target.path), { private: true })
    await backup.copyTo(target.path)
  } finally {
    backup.close()
  }
  return { path: target.path, events: report.count, head: report.head, kept }
}

// A backup made by QED has no journal beside it; a file that someone copied may have, and then it belongs to the data.
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

async function keepPresent(
  target: { path: string; kind: StoreKind; keepIn: string },
  backupHead: StoreStats['head'],
  options: EventLogOptions,
): Promise<string | null> {
  if (!existsSync(target.path)) return null
  makeFolder(target.keepIn, { private: true })
  const kept = join(target.keepIn, `before-restore-${timestamp(options.clock).replaceAll(':', '-')}.db`)
  const present = tryOpen(target.path)
  if (!present) {
    // Not readable as a database: the bytes are moved aside, never thrown away.
    renameSync(target.path, kept)
    for (const suffix of ['-wal', '-shm']) if (existsSync(target.path + suffix)) renameSync(target.path + suffix, kept + suffix)
    return kept
  }
  try {
    const head = new EventLog(present, options).head()
    if ((head?.seq ?? 0) > (backupHead?.seq ?? 0)) {
      throw new Conflict(
        `The store holds ${head?.seq} events, the backup only ${backupHead?.seq ?? 0}: restoring would lose the newer ones.`,
        {
          details: { store: head?.seq ?? 0, backup: backupHead?.seq ?? 0 },
          next: {
            command: `mv ${target.path} ${target.path}.old`,
            why: 'Move the present store away first if the backup is really what you want.',
          },
        },
      )
    }
    await present.copyTo(kept)
    return kept
  } finally {
    present.close()
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
