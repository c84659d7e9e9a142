import { closeSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { Database } from './database.ts'
import { EventLog, type EventLogOptions } from './event-log.ts'
import { isErrno, makeFolder } from './files.ts'
import { migrate, type StoreKind } from './migrations.ts'

/** An open store: its tables and its log. Close it when done. */
export interface Store {
  readonly kind: StoreKind
  readonly path: string
  readonly db: Database
  readonly log: EventLog
  close(): void
}

/** Opens a store, making it where there is none and bringing it to the newest schema.
 *  Never replaces a file that it cannot read. */
export function openStore(path: string, kind: StoreKind, options: EventLogOptions): Store {
  makeFolder(dirname(path), { private: true })
  createPrivate(path)
  const db = new Database(path)
  try {
    migrate(db, kind, options.clock)
    return { kind, path, db, log: new EventLog(db, options), close: () => db.close() }
  } catch (error) {
    db.close()
    throw error
  }
}

// SQLite would make the file readable for everyone; its journal files take over the mode of the main one.
function createPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    // Anything but "it is there" comes back as a clear error from the opening itself.
    if (!isErrno(error, 'EEXIST', 'EACCES', 'EROFS', 'EISDIR', 'EPERM', 'ENOSPC')) throw error
  }
}
