import { readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import * as z from 'zod'
import type { App } from '../app.ts'
import { InvalidInput, NotFound } from '../kernel/errors.ts'
import { newId } from '../kernel/new-id.ts'
import { RunUnknown } from '../runs/errors.ts'
import { readBlobs } from '../sandbox/git/tree.ts'
import { lstatIfThere, realPath } from '../sandbox/paths.ts'
import { type Restore, restoreInto, restoreNew } from '../sandbox/snapshot/restore.ts'
import { operation } from './operation.ts'
import { runRecords } from './run-house.ts'

const LeftOut = () => z.array(z.strictObject({ path: z.string(), reason: z.string(), size: z.int() }))
const Snapshot = () =>
  z.strictObject({
    ref: z.string(),
    commit: z.string(),
    tree: z.string(),
    n: z.int(),
    run: z.string(),
    at: z.string(),
    reason: z.string(),
    base: z.string().nullable(),
    left_out: LeftOut(),
  })
const ref = z.string().min(1).describe('A ref of qed snapshot list')

const list = operation({
  name: 'snapshot.list',
  summary: 'Saved states of places and checkouts',
  when: 'Use it to find a saved state to look at or to bring back.',
  effect: 'read',
  mcp: 'full',
  exitCodes: [3],
  positional: ['run'],
  input: z.strictObject({ run: z.string().min(1).optional().describe('Only of this run, by id or alias') }),
  output: () => z.strictObject({ items: z.array(Snapshot()) }),
  examples: ['snapshot list', 'snapshot list run_01JZZZZZZZZZZZZZZZZZZZZZZZ --json'],
  run: async (app, { run }) => ({ items: await (await app.keeping()).snapshots.list(run === undefined ? run : await idOf(app, run)) }),
})

/** An alias stands for its run. Proofs and places have snapshots too, under names that are in no record of runs. */
async function idOf(app: App, name: string): Promise<string> {
  try {
    return (await runRecords(app)).runs.get(name).id
  } catch (error) {
    if (error instanceof RunUnknown) return name
    throw error
  }
}

const MOST_SHOWN = 1 << 20

const show = operation({
  name: 'snapshot.show',
  summary: 'What a snapshot holds and what it leaves out, or one file of it',
  when: 'Use it to see what a saved state holds before anything is brought back.',
  effect: 'read',
  mcp: 'full',
  exitCodes: [3],
  positional: ['ref', 'path'],
  input: z.strictObject({ ref, path: z.string().min(1).optional().describe('One file, whose text is shown') }),
  output: () =>
    Snapshot().extend({
      files: z.array(z.strictObject({ path: z.string(), mode: z.string(), oid: z.string() })),
      content: z.string().optional(),
    }),
  examples: ['snapshot show refs/qed/snapshots/run_01JZZZZZZZZZZZZZZZZZZZZZZZ/1 src/sum.js'],
  run: async (app, { ref, path }) => {
    const { snapshots } = await app.keeping()
    const { manifest: _manifest, files, ...snapshot } = await snapshots.read(ref)
    const wanted = [...files.values()].filter(file => path === undefined || file.path === path)
    if (path === undefined) return { ...snapshot, files: wanted }
    const [file] = wanted
    if (!file) throw new NotFound(`${ref} holds no file ${path}.`, { details: { ref, path } })
    return { ...snapshot, files: wanted, content: await contentOf(app, file.oid) }
  },
})

const restore = operation({
  name: 'snapshot.restore',
  summary: 'Bring a snapshot back, into a new folder or, once the change was shown, into an existing one',
  effect: 'write',
  mcp: 'never',
  long: true,
  exitCodes: [3, 8],
  positional: ['ref'],
  input: z.strictObject({
    ref,
    into: z
      .string()
      .min(1)
      .optional()
      .describe('The project, one of its places, or a new folder; a new one among the places where left out'),
    paths: z.array(z.string().min(1)).optional().describe('Only these files or folders'),
    agreed: z.string().optional().describe('Digest of the change that was shown: carries exactly that change out'),
  }),
  output: () =>
    z.strictObject({
      ref: z.string(),
      into: z.string(),
      changes: z.array(z.strictObject({ path: z.string(), kind: z.enum(['added', 'modified', 'mode', 'deleted']) })),
      digest: z.string(),
      restored: z.boolean(),
      before: z.string().nullable(),
    }),
  examples: [
    'snapshot restore refs/qed/snapshots/run_01JZZZZZZZZZZZZZZZZZZZZZZZ/1',
    'snapshot restore refs/qed/snapshots/run_01JZZZZZZZZZZZZZZZZZZZZZZZ/1 --into . --paths src',
  ],
  run: async (app, { ref, into, paths, agreed }) => {
    const { git, snapshots } = await app.keeping()
    const target = await targetOf(app, into)
    const only = paths === undefined ? {} : { paths }
    const done: Restore = target.isNew
      ? await restoreNew({ git, snapshots, ref, ...only, into: target.folder })
      : await restoreInto({
          git,
          snapshots,
          ref,
          run: newId('run', app.clock),
          ...only,
          into: target.folder,
          ...(agreed !== undefined && { agreed }),
        })
    const before = done.before?.ref ?? null
    if (done.restored) {
      const { log } = await app.projectStore()
      log.append('sandbox', 'snapshot.restored', { ref, into: done.plan.into, changes: done.plan.changes.length, before })
    }
    return { ...done.plan, restored: done.restored, before }
  },
  human: ({ changes, restored, into, digest, before }, paint) =>
    [
      ...changes.slice(0, 100).map(({ kind, path }) => `${kind.padEnd(8)}  ${path}`),
      ...(changes.length > 100 ? [paint.dim(`and ${changes.length - 100} more`)] : []),
      restored
        ? `${paint.good(`${paint.glyph.ok} restored`)}  ${changes.length} changes in ${into}${before === null ? '' : paint.dim(`, before that: ${before}`)}`
        : `${paint.careful(`${paint.glyph.warn} nothing changed yet`)}  To do this: add --agreed ${digest}`,
    ].join('\n'),
})

const drop = operation({
  name: 'snapshot.drop',
  summary: 'Give up one snapshot for good',
  effect: 'write',
  personOnly: true,
  destructive: true,
  mcp: 'never',
  exitCodes: [3],
  positional: ['ref'],
  input: z.strictObject({ ref }),
  output: () => z.strictObject({ ref: z.string(), commit: z.string() }),
  examples: ['snapshot drop refs/qed/snapshots/run_01JZZZZZZZZZZZZZZZZZZZZZZZ/1'],
  run: async (app, { ref }, call) => {
    const { snapshots } = await app.keeping()
    const { commit } = await snapshots.read(ref)
    const { log } = await app.projectStore()
    log.append('sandbox', 'snapshot.dropped', { ref, by: `${call.caller.role} ${call.caller.connection}` })
    await snapshots.drop(ref)
    return { ref, commit }
  },
})

export const operations = [list, show, restore, drop] as const

/** Where a restore goes: a folder of its own, or over the checkout or a place of this project. Nowhere else, because what the
 *  snapshot does not hold is removed there. */
async function targetOf(app: App, into: string | undefined): Promise<{ folder: string; isNew: boolean }> {
  const places = join((await app.sandbox()).state, 'places', app.project().id)
  if (into === undefined) return { folder: join(places, `restored-${newId('run', app.clock)}`), isNew: true }
  const folder = realPath(resolve(app.cwd, into))
  const found = lstatIfThere(folder)
  if (!found || (found.isDirectory() && readdirSync(folder).length === 0)) return { folder, isNew: true }
  if (folder === realPath(app.project().root) || dirname(folder) === realPath(places)) return { folder, isNew: false }
  throw new InvalidInput('--into', [
    { path: '/into', message: 'name the project, one of its places, or a folder that is empty or not there' },
  ])
}

async function contentOf(app: App, oid: string): Promise<string> {
  const { git } = await app.keeping()
  const chunks: Buffer[] = []
  await readBlobs(git, [oid], { begin: () => undefined, data: chunk => void chunks.push(Buffer.from(chunk)), end: () => undefined })
  const { redaction } = await app.sandbox()
  return redaction.text(Buffer.concat(chunks).subarray(0, MOST_SHOWN).toString('utf8'))
}
