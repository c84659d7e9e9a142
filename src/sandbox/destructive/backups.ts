import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { type Clock, timestamp } from '../../kernel/clock.ts'
import { parseJson } from '../../kernel/json.ts'
import { newId } from '../../kernel/new-id.ts'
import { makeFolder, readFileIfThere, writeFileAtomically } from '../../store/files.ts'
import { lstatIfThere } from '../paths.ts'
import { BackupUnknown, RestoreTargetTaken } from './errors.ts'
import {
  BACKED_CLASSES,
  type BackupClass,
  type BackupRecord,
  type DatabaseTarget,
  type DryRun,
  type ProcessesTarget,
  type Target,
} from './types.ts'

/** The classes that can be backed up. */
export interface BackupClasses {
  files: BackupClass<Target & { class: 'files' }>
  git: BackupClass<Target & { class: 'git' }>
  sqlite: BackupClass<Target & { class: 'sqlite' }>
  database: BackupClass<DatabaseTarget>
  processes: BackupClass<ProcessesTarget>
}

type Backed = Exclude<Target, { class: 'outside' }>

/** Backups that were proven to come back, kept for 30 days. */
export interface Backups {
  dryRun: (target: Backed) => Promise<DryRun>
  /** Made and proven, or thrown away and thrown. */
  make: (target: Backed, of?: { mission?: string | null }) => Promise<BackupRecord>
  list: (of?: { mission?: string | undefined }) => BackupRecord[]
  /** Into an empty folder only. */
  restore: (id: string, into: string) => Promise<{ record: BackupRecord; files: string[] }>
  /** Lets go of what is older than its time, and of what a QED that was killed left half made. */
  expire: () => Promise<string[]>
}

const Record = () =>
  z.strictObject({
    id: z.string(),
    at: z.string(),
    kind: z.enum(['git-ref', 'copy', 'dump']),
    class: z.enum(BACKED_CLASSES),
    path: z.string(),
    sha256: z.string(),
    restore_command: z.string(),
    source: z.string(),
    project: z.string().nullable().default(null),
    mission: z.string().nullable().default(null),
  })
const DAY_MS = 86_400_000
const KEEP_DAYS = 30

export interface BackupsOptions {
  state: string
  clock: Clock
  classes: BackupClasses
  /** Whose backups they are; those of others are neither listed nor removed. */
  project?: string | null
  keepDays?: number
}

export function createBackups({ state, clock, classes, project = null, keepDays = KEEP_DAYS }: BackupsOptions): Backups {
  const root = join(state, 'backups')
  // One class per kind of target: the lookup keeps the two together, which the type of a table cannot say.
  const classOf = (name: BackupRecord['class']): BackupClass<Backed> => classes[name] as unknown as BackupClass<Backed>
  const read = (id: string): BackupRecord | null => {
    const parsed = Record().safeParse(parseJson(readFileIfThere(join(root, id, 'record.json')) ?? ''))
    return parsed.success && (parsed.data.project === null || parsed.data.project === project) ? parsed.data : null
  }
  const names = (): string[] => (existsSync(root) ? readdirSync(root) : []).sort()
  const list: Backups['list'] = ({ mission } = {}) =>
    names()
      .flatMap(id => read(id) ?? [])
      .filter(record => mission === undefined || record.mission === mission)
  const remove = async (id: string): Promise<void> => {
    for (const one of Object.values(classes) as (Pick<BackupClass<Backed>, 'forget'> | undefined)[]) await one?.forget?.(id)
    rmSync(join(root, id), { recursive: true, force: true })
  }
  return {
    list,
    dryRun: target => classOf(target.class).dryRun(target),
    async make(target, { mission = null } = {}) {
      const id = newId('bak', clock)
      const folder = join(root, id)
      makeFolder(folder, { private: true })
      const scratch = mkdtempSync(join(root, `.prove-${id}-`))
      try {
        const made = await classOf(target.class).back(target, { id, folder })
        const record: BackupRecord = { id, at: timestamp(clock), ...made, project, mission }
        await classOf(target.class).prove(record, scratch)
        // Last: a backup without its record was never proven, and counts for nothing.
        writeFileAtomically(join(folder, 'record.json'), `${JSON.stringify(record)}\n`, { private: true })
        return record
      } catch (error) {
        await remove(id)
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
    async expire() {
      const old = list().filter(({ at }) => Date.parse(at) < clock.now() - keepDays * DAY_MS)
      for (const { id } of old) await remove(id)
      // Without a record, or made only to prove one: nobody is at it any more after a day.
      const halfMade = names().filter(
        name => !existsSync(join(root, name, 'record.json')) && (changedAt(join(root, name)) ?? clock.now()) < clock.now() - DAY_MS,
      )
      for (const name of halfMade)
        await (name.startsWith('bak_') ? remove(name) : rmSync(join(root, name), { recursive: true, force: true }))
      return old.map(({ id }) => id)
    },
  }
}

function changedAt(path: string): number | undefined {
  return lstatIfThere(path)?.mtimeMs
}
