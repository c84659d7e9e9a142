import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import type { QedError } from '../kernel/errors.ts'
import { DiskFull, FileUnusable, StoreBusy, StoreCorrupt } from './errors.ts'

export type SqlValue = SQLInputValue
type Row = Record<string, unknown>

/** To be written with the next transaction. */
interface Waiting {
  work: () => void
  failed: (error: unknown) => void
}

type Done<T> = { ok: true; value: T } | { ok: false; error: unknown }

/** How long one statement waits for another process's write before it gives up with `busy`. */
const BUSY_MS = 5000

/** One SQLite file, opened by any number of processes at once. Synchronous: keep transactions short.
 *  Every failure is one of ours (`busy`, `disk_full`, `integrity`, `unavailable`); a failed transaction leaves no trace. */
export class Database {
  readonly path: string
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  #depth = 0
  #afterCommit: (() => void)[] = []
  #waiting: Waiting[] = []

  constructor(path: string, mode: 'write' | 'read' | 'frozen' = 'write') {
    this.path = path
    this.#db = this.#translating(() => new DatabaseSync(location(path, mode), { timeout: BUSY_MS, readOnly: mode !== 'write' }))
    try {
      // NORMAL in WAL: a killed process loses nothing; a power cut may lose the newest transactions, never part of one.
      if (mode === 'write') this.exec('PRAGMA journal_mode = WAL')
      this.exec('PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF')
    } catch (error) {
      this.#db.close()
      throw error
    }
  }

  get<T extends object = Row>(sql: string, ...values: SqlValue[]): T | undefined {
    this.flush()
    return this.#translating(() => this.#prepared(sql).get(...values) as T | undefined)
  }

  all<T extends object = Row>(sql: string, ...values: SqlValue[]): T[] {
    this.flush()
    return this.#translating(() => this.#prepared(sql).all(...values) as T[])
  }

  /** Rows one by one, for results that may be large. */
  *each<T extends object = Row>(sql: string, ...values: SqlValue[]): Generator<T> {
    this.flush()
    const rows = this.#translating(() => this.#db.prepare(sql).iterate(...values))
    try {
      for (;;) {
        const next = this.#translating(() => rows.next())
        if (next.done) return
        yield next.value as T
      }
    } finally {
      // Left half-read, it would hold everything here at the moment at which it began: nothing newer could be read, and nothing written.
      if (this.#db.isOpen) rows.return?.()
    }
  }

  run(sql: string, ...values: SqlValue[]): { changes: number } {
    this.flush()
    return this.#translating(() => ({ changes: Number(this.#prepared(sql).run(...values).changes) }))
  }

  exec(sql: string): void {
    this.flush()
    this.#translating(() => this.#db.exec(sql))
  }

  /** Runs `work` as one write transaction: all of it or nothing. Inside another it joins that one. The write lock is taken
   *  first, so that what `work` reads cannot change before it writes. */
  transaction<T>(work: () => T): T {
    if (this.#depth > 0) return work()
    const waiting = this.#waiting.splice(0)
    try {
      return waiting.length === 0 ? this.#committed(work) : this.#behind(waiting, work)
    } finally {
      for (const told of this.#afterCommit.splice(0)) told()
    }
  }

  /** Writes as part of the next transaction, at the latest before this turn of the event loop ends: several that follow each other
   *  cost one. Whatever is read or written through here from now on comes after it. `failed` hears what kept it from being written. */
  soon(work: () => void, failed: (error: unknown) => void): void {
    if (this.#depth > 0) return work()
    this.#waiting.push({ work, failed })
    if (this.#waiting.length === 1) setImmediate(() => this.flush())
  }

  /** Writes what was to be written soon. */
  flush(): void {
    if (this.#waiting.length === 0 || this.#depth > 0) return
    try {
      this.transaction(() => undefined)
    } catch {
      // Whoever waits for it has heard.
    }
  }

  /** Does something once the transaction around it stands, and never where that is taken back. It must not throw. */
  afterCommit(told: () => void): void {
    if (this.#depth > 0) this.#afterCommit.push(told)
    else told()
  }

  #committed<T>(work: () => T): T {
    this.#prepareAndRun('BEGIN IMMEDIATE')
    this.#depth++
    try {
      const result = work()
      this.#prepareAndRun('COMMIT')
      return result
    } catch (error) {
      this.#afterCommit = []
      // A full disk or a lost file may have ended the transaction already.
      if (this.#db.isTransaction) this.exec('ROLLBACK')
      throw error
    } finally {
      this.#depth--
    }
  }

  /** What waits and `work` in one transaction. They know nothing of each other: what fails is taken back alone. */
  #behind<T>(waiting: readonly Waiting[], work: () => T): T {
    const done = this.#told(waiting, () =>
      this.#committed(() => {
        for (const { work: first, failed } of waiting) {
          const written = this.#apart(first)
          if (!written.ok) failed(written.error)
        }
        return this.#apart(work)
      }),
    )
    if (done.ok) return done.value
    throw done.error
  }

  #told<T>(waiting: readonly Waiting[], commit: () => T): T {
    try {
      return commit()
    } catch (error) {
      for (const { failed } of waiting) failed(error)
      throw error
    }
  }

  #apart<T>(work: () => T): Done<T> {
    const told = this.#afterCommit.length
    this.#prepareAndRun('SAVEPOINT apart')
    try {
      return { ok: true, value: work() }
    } catch (error) {
      // A full disk may have ended the whole transaction.
      if (!this.#db.isTransaction) throw error
      this.#afterCommit.length = told
      this.#prepareAndRun('ROLLBACK TO apart')
      return { ok: false, error }
    } finally {
      if (this.#db.isTransaction) this.#prepareAndRun('RELEASE apart')
    }
  }

  /** Runs `work` so that all it reads is of one moment. */
  snapshot<T>(work: () => T): T {
    if (this.#depth > 0) return work()
    this.exec('BEGIN')
    try {
      return work()
    } finally {
      if (this.#db.isTransaction) this.exec('COMMIT')
    }
  }

  /** Runs `work` without waiting longer than so for another process's write. */
  impatiently<T>(ms: number, work: () => T): T {
    this.exec(`PRAGMA busy_timeout = ${ms}`)
    try {
      return work()
    } finally {
      this.exec(`PRAGMA busy_timeout = ${BUSY_MS}`)
    }
  }

  /** A whole, consistent copy while others go on writing. The file must be new or empty. */
  async copyTo(path: string): Promise<void> {
    const { backup } = await import('node:sqlite')
    this.flush()
    try {
      await backup(this.#db, path)
    } catch (error) {
      throw this.#translate(error)
    }
  }

  close(): void {
    if (!this.#db.isOpen) return
    this.flush()
    this.#db.close()
  }

  #prepareAndRun(sql: string): void {
    this.#translating(() => this.#prepared(sql).run())
  }

  #prepared(sql: string): StatementSync {
    let statement = this.#statements.get(sql)
    if (!statement) {
      statement = this.#db.prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement
  }

  #translating<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw this.#translate(error)
    }
  }

  #translate(error: unknown): unknown {
    if (!isSqliteError(error)) return error
    // The low byte is the primary result code, whatever the extended one says.
    return CONDITIONS[error.errcode & 0xff]?.(this.path, error) ?? error
  }
}

// A frozen file has no writer: SQLite needs no lock and leaves no journal files beside it.
function location(path: string, mode: 'write' | 'read' | 'frozen'): string | URL {
  if (mode !== 'frozen') return path
  const url = pathToFileURL(path)
  url.search = 'immutable=1'
  return url
}

type SqliteError = Error & { code: 'ERR_SQLITE_ERROR'; errcode: number; errstr: string }

function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR'
}

type Condition = (path: string, cause: SqliteError) => QedError
const busy: Condition = (path, cause) => new StoreBusy(path, BUSY_MS, { cause })
const corrupt: Condition = (path, cause) => new StoreCorrupt(path, cause.errstr, { cause })
// SQLite tells a full disk as such only where it writes to the database itself, not where it makes or grows its journal.
const unusable: Condition = (path, cause) =>
  hasSpace(path) ? new FileUnusable(path, cause.errstr, { cause }) : new DiskFull(path, { cause })

const LEAST_SPACE = 256 * 1024

function hasSpace(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(path))
    return bavail * bsize >= LEAST_SPACE
  } catch {
    return true
  }
}

/** SQLite's primary result codes that mean a condition of the world and not a fault of ours. */
const CONDITIONS: Record<number, Condition> = {
  3: unusable, // PERM
  5: busy, // BUSY
  6: busy, // LOCKED
  8: unusable, // READONLY
  10: unusable, // IOERR
  11: corrupt, // CORRUPT
  13: (path, cause) => new DiskFull(path, { cause }), // FULL
  14: unusable, // CANTOPEN
  26: corrupt, // NOTADB
}
