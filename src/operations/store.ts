import { join } from 'node:path'
import * as z from 'zod'
import { timestamp } from '../kernel/clock.ts'
import { projectStore } from '../store/kinds.ts'
import { backupFolder, backupStore, carryOutRestore, compactStore, planBackup, planRestore, storeStats } from '../store/maintenance.ts'
import { FilePath } from './file-path.ts'
import { operation } from './operation.ts'

const Head = () => z.strictObject({ seq: z.int(), hash: z.string() }).nullable()
const dry_run = z.boolean().default(false).describe('Check everything and write nothing')
const bytes = () => z.int().nonnegative()

const stats = operation({
  name: 'store.stats',
  summary: 'Size and contents of the project store',
  when: 'Use when the store seems large or slow, or to find where it and its backups are kept.',
  effect: 'read',
  mcp: 'full',
  exitCodes: [3, 9],
  input: z.strictObject({}),
  output: () =>
    z.strictObject({
      path: z.string(),
      kind: z.string(),
      schema: z.int(),
      bytes: z.strictObject({ database: bytes(), journal: bytes(), free: bytes() }),
      tables: z.array(z.strictObject({ name: z.string(), rows: z.int() })),
      head: Head(),
      backups: z.string(),
    }),
  examples: ['store stats', 'store stats --json'],
  run: async app => ({ ...storeStats(await app.projectStore()), backups: backupFolder(app.project().folder) }),
})

const backup = operation({
  name: 'store.backup',
  summary: 'Copy the project store to a file while others go on writing',
  effect: 'write',
  long: true,
  mcp: 'never',
  exitCodes: [3, 8, 9],
  positional: ['to'],
  input: z.strictObject({ to: FilePath.optional().describe('File to write; default .qed/backups/<time>.db'), dry_run }),
  output: () => z.strictObject({ path: z.string(), bytes: bytes(), head: Head(), dry_run: z.boolean() }),
  examples: ['store backup', 'store backup /tmp/qed-backup.db'],
  run: async (app, { to, dry_run }) => {
    const store = await app.projectStore()
    const path = to ?? join(backupFolder(app.project().folder), `${timestamp(app.clock).replaceAll(':', '-')}.db`)
    return dry_run
      ? { path: planBackup(path), bytes: 0, head: store.log.head(), dry_run }
      : { ...(await backupStore(store, path)), dry_run }
  },
})

const restore = operation({
  name: 'store.restore',
  summary: 'Put a backup in the place of the project store; what was there is kept',
  effect: 'write',
  long: true,
  personOnly: true,
  destructive: true,
  mcp: 'never',
  exitCodes: [3, 4, 8, 9],
  positional: ['from'],
  input: z.strictObject({ from: FilePath.describe('Backup to restore'), dry_run }),
  output: () =>
    z.strictObject({
      path: z.string(),
      events: z.int(),
      head: Head(),
      present: z.enum(['nothing', 'store', 'broken']).describe('What stood there before'),
      kept: z.string().nullable().describe('Where that is kept'),
      dry_run: z.boolean(),
    }),
  examples: ['store restore .qed/backups/2026-01-31T12-00-00.000Z.db'],
  run: async (app, { from, dry_run }) => {
    const target = { path: app.storePath(), kind: projectStore, keepIn: backupFolder(app.project().folder) }
    const plan = planRestore(target, from, await app.logOptions())
    const { events, head, present } = plan
    if (dry_run) return { path: target.path, events, head, present, kept: null, dry_run }
    await app.close()
    const kept = carryOutRestore(plan, app.clock)
    const { log } = await app.projectStore()
    log.append('project', 'store.restored', { from, events, kept })
    return { path: target.path, events, head: log.head(), present, kept, dry_run }
  },
})

const compact = operation({
  name: 'store.compact',
  summary: 'Give unused space of the project store back to the disk',
  effect: 'write',
  long: true,
  mcp: 'never',
  idempotent: true,
  exitCodes: [3, 9],
  input: z.strictObject({}),
  output: () => z.strictObject({ before: bytes(), after: bytes() }),
  examples: ['store compact'],
  run: async app => {
    const store = await app.projectStore()
    const sizes = compactStore(store)
    store.log.append('project', 'store.compacted', sizes)
    return sizes
  },
})

export const operations = [stats, backup, restore, compact] as const
