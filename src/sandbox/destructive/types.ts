/** The steps of a destructive operation, in their order. */
export const STEPS = ['dry-run-written', 'dry-run-captured', 'blast-stated', 'authorised', 'backed-up', 'executed', 'verified'] as const
export type Step = (typeof STEPS)[number]

/** What an operation would destroy, as far as a backup can be made of it. */
export type Target =
  | { class: 'files'; root: string; paths: string[] }
  | { class: 'git'; refs: string[]; root: string }
  | { class: 'sqlite'; file: string; count?: string }
  /** Publish, mail, deploy: nothing brings it back. */
  | { class: 'outside' }

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
  class: 'files' | 'git' | 'sqlite'
  path: string
  /** Of the list of everything in it. */
  sha256: string
  restore_command: string
  /** Where it came from. */
  source: string
}

/** Where backups of one class are made, proven and brought back. */
export interface BackupClass<T extends Target> {
  dryRun: (target: T) => Promise<DryRun>
  /** Writes the backup into a folder of its own. */
  back: (target: T, into: { id: string; folder: string }) => Promise<Omit<BackupRecord, 'id' | 'at'>>
  /** Brings it back into an empty folder and compares; throws `backup-unproven` where anything differs. */
  prove: (record: BackupRecord, scratch: string) => Promise<void>
  restore: (record: BackupRecord, into: string) => Promise<string[]>
}
