import { QedError } from '../kernel/errors.ts'

export class DiskFull extends QedError {
  readonly code = 'disk_full'
  constructor(path: string, options: ErrorOptions = {}) {
    super(`No space left for ${path}. Nothing was half written.`, {
      ...options,
      details: { path },
      next: {
        operation: 'store.stats',
        command: 'qed store stats',
        why: 'It shows what takes space; free some and run the same command again.',
      },
    })
  }
}

export class FileUnusable extends QedError {
  readonly code = 'unavailable'
  constructor(path: string, reason: string, options: ErrorOptions = {}) {
    super(`${path} cannot be read or written (${reason}). Check who owns it and what it is.`, { ...options, details: { path, reason } })
  }
}

export class StoreBusy extends QedError {
  readonly code = 'busy'
  constructor(path: string, waitedMs: number, options: ErrorOptions = {}) {
    super(`Another process kept ${path} locked for ${waitedMs} ms. Nothing was written; try again.`, {
      ...options,
      details: { path, retry_after_ms: waitedMs },
    })
  }
}

export class StoreCorrupt extends QedError {
  readonly code = 'integrity'
  constructor(path: string, reason: string, options: ErrorOptions = {}) {
    super(`${path} is not a sound QED store: ${reason}. It was left as it is.`, {
      ...options,
      details: { path, reason },
      next: {
        operation: 'store.restore',
        command: 'qed store restore <backup>',
        why: 'It puts back a backup and keeps the broken file beside it.',
      },
    })
  }
}

/** The file was there once and is gone, or empty. A new one would look like a log in which nothing ever happened. */
export class StoreMissing extends QedError {
  readonly code = 'integrity'
  constructor(path: string, reason: string) {
    super(`The store ${path} ${reason}. Nothing was made in its place.`, {
      details: { path, reason },
      next: {
        operation: 'store.restore',
        command: 'qed store restore <backup>',
        why: 'Put a backup back, or start a new log with: qed init --new-store',
      },
    })
  }
}

export class StoreNewer extends QedError {
  readonly code = 'migration_needed'
  constructor(path: string, versions: { found: number; known: number }) {
    super(`${path} was written by a newer QED (schema ${versions.found}; this one knows up to ${versions.known}). It was not touched.`, {
      details: { path, ...versions },
      next: { command: 'npm install -g qed@latest', why: 'Update QED, or use a checkout that is as new as the store.' },
    })
  }
}

/** A migration that was already applied reads differently now: the program was edited after the fact. */
export class MigrationEdited extends QedError {
  readonly code = 'integrity'
  constructor(path: string, migration: { version: number; name: string }) {
    super(
      `Migration ${migration.version} (${migration.name}) of ${path} is not the one this QED carries. An applied migration must never change; add a new one.`,
      {
        details: { path, ...migration },
      },
    )
  }
}

export class StoreOfOtherKind extends QedError {
  readonly code = 'unsupported'
  constructor(path: string, kinds: { found: string; wanted: string }) {
    super(
      `${path} is a ${kinds.found} store, not a ${kinds.wanted} one. Project and personal data are never mixed; name the right file with --store.`,
      {
        details: { path, ...kinds },
      },
    )
  }
}

export class EventUnknown extends QedError {
  readonly code = 'invalid_input'
  constructor(stream: string, type: string, known: string[]) {
    super(`Stream ${stream} takes no event ${type}. It takes: ${known.join(', ') || 'none'}.`, { details: { stream, type, known } })
  }
}
