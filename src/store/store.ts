import { closeSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { QedError } from '../kernel/errors.ts'
import { Database } from './database.ts'
import { StoreMissing } from './errors.ts'
import { EventLog, type EventLogOptions } from './event-log.ts'
import { isErrno, makeFolder } from './files.ts'
import { migrate, pendingMigrations, type StoreKind } from './migrations.ts'

/** An open store: its tables and its log. Close it when done. */
export interface Store {
  readonly kind: StoreKind
  readonly path: string
  readonly db: Database
  readonly log: EventLog
  close(): void
}

/** Opens a store and brings it to the newest schema; makes it where there is none and `mayCreate` says so. Never replaces a file
 *  that it cannot read. Where nothing can be written (a full disk, a read-only folder) what is there can still be read, and a
 *  write fails with the reason. */
export function openStore(path: string, kind: StoreKind, options: EventLogOptions & { mayCreate: boolean }): Store {
  if (isMissing(path)) {
    if (bytesOf(`${path}-wal`) > 0) throw new StoreMissing(path, 'is gone, but its journal is still there')
    if (!options.mayCreate) throw new StoreMissing(path, 'is not there')
    makeFolder(dirname(path), { private: true })
    createPrivate(path)
  }
  const db = openWritable(path, kind, options) ?? openReadable(path, kind)
  return { kind, path, db, log: new EventLog(db, options), close: () => db.close() }
}

/** Whether there is no store at a path; an empty file is none. */
export function isMissing(path: string): boolean {
  return bytesOf(path) === 0
}

/** Makes the file first: SQLite would make it readable for everyone, and its journal files take over its mode. */
export function createPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    // Anything but "it is there" comes back as a clear error from the opening itself.
    if (!isErrno(error, 'EEXIST', 'EACCES', 'EROFS', 'EISDIR', 'EPERM', 'ENOSPC')) throw error
  }
}

function openWritable(path: string, kind: StoreKind, options: EventLogOptions): Database | null {
  let db: Database | undefined
  try {
    db = new Database(path)
    migrate(db, kind, options.clock)
    return db
  } catch (error) {
    db?.close()
    if (error instanceof QedError && ['disk_full', 'unavailable'].includes(error.code) && canBeRead(path, kind)) return null
    throw error
  }
}

function openReadable(path: string, kind: StoreKind): Database {
  const db = new Database(path, readMode(path))
  pendingMigrations(db, kind)
  return db
}

function canBeRead(path: string, kind: StoreKind): boolean {
  try {
    const db = openReadable(path, kind)
    const current = pendingMigrations(db, kind).length === 0
    db.close()
    return current
  } catch {
    return false
  }
}

/** A live store has a journal beside it; where there is none the file can be read without leaving anything beside it. */
export function readMode(path: string): 'read' | 'frozen' {
  return bytesOf(`${path}-wal`) > 0 ? 'read' : 'frozen'
}

function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
