import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { type Clock, timestamp } from '../../kernel/clock.ts'
import { parseJson } from '../../kernel/json.ts'
import { newId } from '../../kernel/new-id.ts'
import { makeFolder, readFileIfThere, writeFileAtomically } from '../../store/files.ts'
import { BackupUnknown, RestoreTargetTaken } from './errors.ts'
import type { BackupClass, BackupRecord, DryRun, Target } from './types.ts'

/** The classes that can be backed up. */
export interface BackupClasses {
  files: BackupClass<Target & { class: 'files' }>
  git: BackupClass<Target & { class: 'git' }>
  sqlite: BackupClass<Target & { class: 'sqlite' }>
}

type Backed = Exclude<Target, { class: 'outside' }>

/** Backups that were proven to come back, kept for 30 days. */
export interface Backups {
  dryRun: (target: Backed) => Promise<DryRun>
  /** Made and proven, or thrown away and thrown. */
  make: (target: Backed) => Promise<BackupRecord>
  list: () => BackupRecord[]
  /** Into an empty folder only. */
  restore: (id: string, into: string) => Promise<{ record: BackupRecord; files: string[] }>
  expire: () => string[]
}

const Record = () =>
  z.strictObject({
    id: z.string(),
    at: z.string(),
    kind: z.enum(['git-ref', 'copy', 'dump']),
    class: z.enum(['files', 'git', 'sqlite']),
    path: z.string(),
    sha256: z.string(),
    restore_command: z.string(),
    source: z.string(),
  })
const KEEP_MS = 30 * 86_400_000

export function createBackups({ state, clock, classes }: { state: string; clock: Clock; classes: BackupClasses }): Backups {
  const root = join(state, 'backups')
  // One class per kind of target: the lookup keeps the two together, which the type of a table cannot say.
  const classOf = (name: BackupRecord['class']): BackupClass<Backed> => classes[name] as unknown as BackupClass<Backed>
  const read = (id: string): BackupRecord | null => {
    const parsed = Record().safeParse(parseJson(readFileIfThere(join(root, id, 'record.json')) ?? ''))
    return parsed.success ? parsed.data : null
  }
  const list = (): BackupRecord[] => (existsSync(root) ? readdirSync(root) : []).sort().flatMap(id => read(id) ?? [])
  return {
    list,
    dryRun: target => classOf(target.class).dryRun(target),
    async make(target) {
      const id = newId('bak', clock)
      const folder = join(root, id)
      makeFolder(folder, { private: true })
      const scratch = mkdtempSync(join(root, `.prove-${id}-`))
      try {
        const record = { id, at: timestamp(clock), ...(await classOf(target.class).back(target, { id, folder })) }
        await classOf(target.class).prove(record, scratch)
        // Last: a backup without its record was never proven, and counts for nothing.
        writeFileAtomically(join(folder, 'record.json'), `${JSON.stringify(record)}\n`, { private: true })
        return record
      } catch (error) {
        rmSync(folder, { recursive: true, force: true })
        throw error
      } finally {
        rmSync(scratch, { recursive: true, force: true })
      }
    },
    async restore(id, into) {
      const record = /^bak_\w+$/.test(id) ? read(id) : null
      if (!record) throw new BackupUnknown(id)
      if (existsSync(into) && readdirSync(into).length > 0) throw new RestoreTargetTaken(into)
      mkdirSync(into, { recursive: true, mode: 0o700 })
      return { record, files: await classOf(record.class).restore(record, into) }
    },
    expire() {
      const old = list().filter(({ at }) => Date.parse(at) < clock.now() - KEEP_MS)
      for (const { id } of old) rmSync(join(root, id), { recursive: true, force: true })
      return old.map(({ id }) => id)
    },
  }
}
