import { copyFileSync, mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { sha256 } from '../../kernel/sha256.ts'
import { BackupUnproven } from './errors.ts'
import type { BackupClass, Target } from './types.ts'

type SqliteTarget = Target & { class: 'sqlite' }

/** A SQLite file: copied by the engine itself, proven table by table. */
export const sqliteClass: BackupClass<SqliteTarget> = {
  dryRun({ file, count }) {
    return reading(file, db => {
      const tables = tableNames(db)
      const rows = (sql: string): number => Number(Object.values(db.prepare(sql).get() ?? {})[0] ?? 0)
      return count === undefined
        ? {
            command: 'count every table',
            lines: tables.map(name => `${rows(`SELECT count(*) FROM ${quoted(name)}`)} ${name}`),
            amount: tables.length,
          }
        : { command: count, lines: [`${rows(count)} rows`], amount: rows(count) }
    })
  },
  async back({ file }, { id, folder }) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const copy = join(folder, basename(file))
    const db = new DatabaseSync(file, { readOnly: true })
    try {
      await backup(db, copy)
    } finally {
      db.close()
    }
    const digest = await contentDigest(file)
    return {
      kind: 'dump',
      class: 'sqlite',
      path: copy,
      sha256: digest,
      restore_command: `qed backup restore ${id} --into <folder>`,
      source: file,
    }
  },
  async prove(record, scratch) {
    await sqliteClass.restore(record, scratch)
    const file = join(scratch, basename(record.path))
    const sound = await reading(file, db => Object.values(db.prepare('PRAGMA integrity_check').get() ?? {})[0] === 'ok')
    if (!sound) throw new BackupUnproven(record.source, ['integrity check'])
    if ((await contentDigest(file)) !== record.sha256) throw new BackupUnproven(record.source, ['rows'])
  },
  restore({ path }, into) {
    mkdirSync(into, { recursive: true, mode: 0o700 })
    copyFileSync(path, join(into, basename(path)))
    return Promise.resolve([basename(path)])
  },
}

/** Schema, row counts and contents of all tables, as one digest. Rows are compared as a set: their order means nothing. */
function contentDigest(file: string): Promise<string> {
  return reading(file, db => {
    const schema = db.prepare('SELECT type, name, sql FROM sqlite_master ORDER BY type, name').all()
    const tables = tableNames(db).map(name => {
      const rows = db
        .prepare(`SELECT * FROM ${quoted(name)}`)
        .all()
        .map(row => sha256(JSON.stringify(row, plain)))
        .sort()
      return `${name}\0${rows.length}\0${sha256(rows.join(''))}`
    })
    return sha256(JSON.stringify([schema, tables]))
  })
}

// A blob and a list of numbers, or a number and a text of it, must not read alike.
function plain(_key: string, value: unknown): unknown {
  if (value instanceof Uint8Array) return { blob: Buffer.from(value).toString('hex') }
  return typeof value === 'bigint' ? { integer: String(value) } : value
}

function tableNames(db: DatabaseSync): string[] {
  const rows = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name").all()
  return rows.map(({ name }) => String(name))
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function reading<T>(file: string, work: (db: DatabaseSync) => T): Promise<T> {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    return Promise.resolve(work(db))
  } finally {
    db.close()
  }
}
