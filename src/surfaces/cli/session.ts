import type { App } from '../../app.ts'
import type { Catalogue } from '../../operations/operation.ts'
import type { Paint } from '../../operations/paint.ts'
import type { Globals } from './globals.ts'
import type { Io } from './io.ts'

/** One command line at work: what it reads and writes, what it asked for, and the app it runs on. */
export interface Session {
  io: Io
  /** For a person who reads stdout, or stderr. Made when asked for: it reads the settings, which a program's answer does not need. */
  paint: (end?: 'stdout' | 'stderr') => Promise<Paint>
  catalogue: Catalogue
  app: App
  globals: Globals
  /** Aborted by SIGINT and SIGTERM. */
  signal: AbortSignal
  /** Told the exit code of work that has come to its end and is recorded, before it is shown. */
  settle: (exitCode: number) => void
}
