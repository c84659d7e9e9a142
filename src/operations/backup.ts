import { resolve } from 'node:path'
import * as z from 'zod'
import { BACKED_CLASSES } from '../sandbox/destructive/types.ts'
import { operation } from './operation.ts'

const Backup = () =>
  z.strictObject({
    id: z.string(),
    at: z.string(),
    kind: z.enum(['git-ref', 'copy', 'dump']),
    class: z.enum(BACKED_CLASSES),
    path: z.string(),
    sha256: z.string(),
    restore_command: z.string(),
    source: z.string(),
    project: z.string().nullable(),
    mission: z.string().nullable(),
  })

const list = operation({
  name: 'backup.list',
  summary: 'Backups that were made before something was destroyed',
  when: 'Use it to see what can be brought back after something was destroyed.',
  effect: 'read',
  mcp: 'full',
  exitCodes: [3],
  input: z.strictObject({ mission: z.string().min(1).optional().describe('Only those made in the course of this mission') }),
  output: () => z.strictObject({ items: z.array(Backup()) }),
  examples: ['backup list', 'backup list --json'],
  run: async (app, { mission }) => ({ items: (await app.keeping()).backups.list({ mission }) }),
})

const restore = operation({
  name: 'backup.restore',
  summary: 'Bring a backup back into an empty folder',
  effect: 'write',
  personOnly: true,
  mcp: 'never',
  long: true,
  exitCodes: [3, 4, 8],
  positional: ['id'],
  input: z.strictObject({
    id: z.string().min(1).describe('An id of qed backup list'),
    into: z.string().min(1).describe('A folder that is empty or not there yet'),
  }),
  output: () => z.strictObject({ id: z.string(), into: z.string(), files: z.int() }),
  examples: ['backup restore bak_01JZZZZZZZZZZZZZZZZZZZZZZZ --into ./back'],
  run: async (app, { id, into }) => {
    const folder = resolve(app.cwd, into)
    const { files } = await (await app.keeping()).backups.restore(id, folder)
    const { log } = await app.projectStore()
    log.append('sandbox', 'backup.restored', { backup: id, into: folder, files: files.length })
    return { id, into: folder, files: files.length }
  },
})

export const operations = [list, restore] as const
