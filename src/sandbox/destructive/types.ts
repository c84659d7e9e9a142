/** The steps of a destructive operation, in their order. */
export const STEPS = ['dry-run-written', 'dry-run-captured', 'blast-stated', 'authorised', 'backed-up', 'executed', 'verified'] as const
export type Step = (typeof STEPS)[number]

/** What can be backed up. */
export const BACKED_CLASSES = ['files', 'git', 'sqlite', 'database', 'processes'] as const

/** What an operation would destroy, as far as a backup can be made of it. */
export type Target =
  | { class: 'files'; root: string; paths: string[] }
  | { class: 'git'; refs: string[]; root: string }
  | { class: 'sqlite'; file: string; count?: string }
  | DatabaseTarget
  | ProcessesTarget
  /** Publish, mail, deploy: nothing brings it back. */
  | { class: 'outside' }

/** A database that only its own tools can read, by the commands that the brief names. Each is a command text for the shell, and
 *  policy has decided it before it is handed in: none may itself destroy something. */
export interface DatabaseTarget {
  class: 'database'
  /** What a reader knows it by. */
  source: string
  cwd: string
  /** Prints what would go: the counting query with the same predicate. */
  count: string
  /** Prints the whole database. */
  dump: string
  /** Reads a dump into a scratch database, and prints that one. Without both a backup cannot be proven. */
  load?: string
  dump_scratch?: string
  network: 'off' | 'host'
}

/** Processes that would stop, and the settings that would be switched off with them. */
export interface ProcessesTarget {
  class: 'processes'
  pids: number[]
  cwd: string
  /** Prints the settings, and reads them without taking them over. */
  settings?: { export: string; check: string }
}

export interface DryRun {
  command: string
  /** What would be touched, one thing per line. */
  lines: string[]
  /** Bytes or rows that would go. */
  amount: number
}

export interface BackupRecord {
  id: string
  at: string
  kind: 'git-ref' | 'copy' | 'dump'
  class: (typeof BACKED_CLASSES)[number]
  path: string
  /** Of the list of everything in it. */
  sha256: string
  restore_command: string
  /** Where it came from. */
  source: string
  /** The project that it belongs to, and the mission in whose course it was made. */
  project: string | null
  mission: string | null
}

/** Where backups of one class are made, proven and brought back. */
export interface BackupClass<T extends Target> {
  dryRun: (target: T) => Promise<DryRun>
  /** Writes the backup into a folder of its own. */
  back: (target: T, into: { id: string; folder: string }) => Promise<Omit<BackupRecord, 'id' | 'at' | 'project' | 'mission'>>
  /** Brings it back into an empty folder and compares; throws `backup-unproven` where anything differs. */
  prove: (record: BackupRecord, scratch: string) => Promise<void>
  restore: (record: BackupRecord, into: string) => Promise<string[]>
  /** Lets go of what it keeps outside the folder. */
  forget?: (id: string) => Promise<void>
}
