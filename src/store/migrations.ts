import { type Clock, timestamp } from '../kernel/clock.ts'
import type { Database } from './database.ts'
import { MigrationEdited, StoreCorrupt, StoreNewer, StoreOfOtherKind } from './errors.ts'

/** One step of a schema. Applied once, in order, never changed afterwards, never undone. */
export interface Migration {
  version: number
  name: string
  sql: string
}

/** A kind of store: what it is called, the number that marks its files, and the way to its present schema. */
export interface StoreKind {
  name: 'project' | 'personal'
  /** SQLite's `application_id`: a file of another kind or of another program is refused. */
  applicationId: number
  migrations: Migration[]
}

interface Applied {
  version: number
  name: string
  sql: string
}

// The statements themselves, not their digest: they can be compared without loading a hash function at every start.
const LEDGER = `CREATE TABLE IF NOT EXISTS schema_migrations (
  version INTEGER PRIMARY KEY, name TEXT NOT NULL, sql TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT`

/** Brings a store to the newest schema, or refuses: a file of another kind, a newer one, or one whose past was edited. */
export function migrate(db: Database, kind: StoreKind, clock: Clock): void {
  if (pendingMigrations(db, kind).length === 0) return
  db.transaction(() => {
    db.exec(LEDGER)
    // Read again inside the lock: another process may have migrated meanwhile.
    for (const migration of pendingMigrations(db, kind)) {
      db.exec(migration.sql)
      db.run(
        'INSERT INTO schema_migrations (version, name, sql, applied_at) VALUES (?, ?, ?, ?)',
        migration.version,
        migration.name,
        migration.sql,
        timestamp(clock),
      )
    }
    db.exec(`PRAGMA application_id = ${kind.applicationId}`)
  })
}

export function schemaVersion(kind: StoreKind): number {
  return kind.migrations.at(-1)?.version ?? 0
}

function checkKind(db: Database, kind: StoreKind): void {
  const found = db.get<{ application_id: number }>('PRAGMA application_id')?.application_id ?? 0
  if (found === kind.applicationId) return
  const other = KIND_NAMES.get(found)
  if (other) throw new StoreOfOtherKind(db.path, { found: other, wanted: kind.name })
  if (found !== 0 || hasTables(db)) throw new StoreCorrupt(db.path, 'it belongs to another program')
}

function hasTables(db: Database): boolean {
  return db.get(`SELECT 1 FROM sqlite_schema WHERE name <> 'schema_migrations' LIMIT 1`) !== undefined
}

/** What a store still lacks. Throws where it cannot be used by this program. Changes nothing. */
export function pendingMigrations(db: Database, kind: StoreKind): Migration[] {
  // Of one moment: another process may be making the store right now.
  const applied = db.snapshot(() => {
    checkKind(db, kind)
    return readLedger(db)
  })
  const known = schemaVersion(kind)
  const newest = applied.at(-1)?.version ?? 0
  if (newest > known) throw new StoreNewer(db.path, { found: newest, known })
  for (const row of applied) {
    const own = kind.migrations.find(migration => migration.version === row.version)
    if (!own || own.sql !== row.sql) throw new MigrationEdited(db.path, { version: row.version, name: row.name })
  }
  return kind.migrations.filter(migration => migration.version > newest)
}

function readLedger(db: Database): Applied[] {
  const there = db.get(`SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'`)
  return there ? db.all<Applied>('SELECT version, name, sql FROM schema_migrations ORDER BY version') : []
}

/** The marks of our files: "QEDp" and "QEDu" as big-endian numbers. */
export const APPLICATION_IDS = { project: 0x51454470, personal: 0x51454475 } as const
const KIND_NAMES = new Map<number, StoreKind['name']>([
  [APPLICATION_IDS.project, 'project'],
  [APPLICATION_IDS.personal, 'personal'],
])
