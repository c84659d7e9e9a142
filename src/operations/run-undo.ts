import * as z from 'zod'
import { InvalidInput, NotConfirmed, QedError } from '../kernel/errors.ts'
import type { Event } from '../kernel/event.ts'
import type { RunId } from '../kernel/ids.ts'
import { visibleLine } from '../kernel/visible.ts'
import { RunOwned } from '../runs/errors.ts'
import { eventsOf } from '../runs/history.ts'
import { isGone } from '../runs/owner.ts'
import type { Run } from '../runs/run.ts'
import { type Saved, savedOf } from '../runs/saved.ts'
import type { Keeping } from '../sandbox/keeping.ts'
import type { Change } from '../sandbox/snapshot/changes.ts'
import { makeFolders, withModes } from '../sandbox/snapshot/restore.ts'
import { planUndo, type UndoPlan } from '../sandbox/snapshot/undo.ts'
import type { WatchedFolder } from '../sandbox/snapshot/watching.ts'
import { carryOut } from '../sandbox/snapshot/write-files.ts'
import { type Call, operation } from './operation.ts'
import { runRecords } from './run-house.ts'
import { rootOf } from './run-saved.ts'

const ACTIONS = { added: 'create', modified: 'restore', mode: 'mode', deleted: 'delete' } as const satisfies Record<Change['kind'], string>

const Undone = () =>
  z.strictObject({
    run: z.string(),
    changes: z.array(z.strictObject({ path: z.string(), action: z.enum(['create', 'restore', 'mode', 'delete']) })),
    blocked: z.array(z.strictObject({ path: z.string(), why: z.string() })),
    undone: z.boolean(),
    /** The snapshot that it went back to, and the one of what was there before. */
    to: z.string().nullable(),
    before: z.string().nullable(),
  })
type Undone = z.infer<ReturnType<typeof Undone>>

class UndoBlocked extends QedError {
  readonly code = 'conflict'
  constructor(run: string, { changes, blocked }: Pick<Undone, 'changes' | 'blocked'>) {
    super(`${blocked.length} files of ${run} cannot be put back: ${blocked[0]?.path}: ${blocked[0]?.why}. Nothing was written.`, {
      details: { run, changes, blocked: blocked.slice(0, 100) },
      next: {
        operation: 'snapshot.list',
        command: `qed snapshot list ${run}`,
        why: 'Every state is saved there; bring back single files with qed snapshot restore <ref> --into . --paths <file>.',
      },
    })
  }
}

export const undo = operation({
  name: 'run.undo',
  summary: 'Take back what a run did to files, turn by turn, what its commands did included',
  effect: 'write',
  mcp: 'never',
  personOnly: true,
  destructive: true,
  long: true,
  exitCodes: [3, 4, 8],
  positional: ['run'],
  input: z.strictObject({
    run: z.string().min(1).describe('Id or alias of the run'),
    to_turn: z
      .int()
      .nonnegative()
      .optional()
      .describe('Undo this turn and all after it, from 0; left out, the last one that changed files'),
    dry_run: z.boolean().default(false).describe('Only show what would change'),
  }),
  output: Undone,
  examples: ['run undo 1a2b3c4d', 'run undo 1a2b3c4d --to-turn 0 --dry-run'],
  run: async (app, { run: id, to_turn, dry_run }, call) => {
    const { runs, store } = await runRecords(app)
    const run = runs.get(id)
    if (run.owner && run.status === 'running' && !isGone(run.owner)) throw new RunOwned(run.alias, run.owner)
    const events = eventsOf(store.log, run.id)
    const keeping = await app.keeping()
    const steps = stepsBack(events, run, to_turn)
    const [target] = steps
    if (!target) return { run: run.id, changes: [], blocked: [], undone: false, to: null, before: null }
    const { plan, folder, root, manifest, files } = await planned(keeping, steps, rootOf(app, events))
    const shown = {
      changes: plan.changes.map(({ path, kind }) => ({ path, action: ACTIONS[kind] })),
      blocked: plan.blocked,
    }
    const answer = { run: run.id, ...shown, undone: false, to: target.ref, before: null }
    if (dry_run || (plan.changes.length === 0 && plan.blocked.length === 0)) return answer
    if (plan.blocked.length > 0) throw new UndoBlocked(run.alias, shown)
    if (call.confirm && !(await call.confirm(questionOf(shown)))) throw new NotConfirmed('run.undo')
    const before = await folder.save({ run: run.id as RunId, reason: 'before undo' })
    await carryOut(keeping.git, root, plan.changes, { files, modes: manifest.modes })
    makeFolders(root, manifest.empty_folders)
    ;(await folder.look()).take()
    const after = await folder.save({ run: run.id as RunId, reason: 'undone' })
    await keeping.snapshots.publish()
    store.log.append(`run:${run.id}`, 'run.undone', {
      to: target.ref,
      before: before.ref,
      after: after.ref,
      changes: plan.changes.length,
      by: byOf(call),
    })
    return { ...answer, undone: true, before: before.ref }
  },
  human: ({ changes, blocked, undone, before }, paint) =>
    [
      ...changes.map(({ action, path }) => `${action.padEnd(8)}${visibleLine(path)}`),
      ...blocked.map(({ path, why }) => `${paint.bad('blocked')} ${visibleLine(path)}  ${paint.dim(why)}`),
      undone
        ? `${paint.good(`${paint.glyph.ok} undone`)}  ${changes.length} files${paint.dim(`, before that: ${before}`)}`
        : changes.length + blocked.length === 0
          ? 'There is nothing to undo.'
          : paint.careful(`${paint.glyph.warn} nothing changed yet`),
    ].join('\n'),
})

/** The snapshot before the turn, and all after it; none where no turn changed anything. */
function stepsBack(events: readonly Event[], run: Run, toTurn: number | undefined): Saved[] {
  const { saved, turns } = savedOf(events)
  if (toTurn !== undefined && toTurn >= Math.max(turns, 1)) {
    throw new InvalidInput('--to-turn', [{ path: '/to_turn', message: `${run.alias} has ${turns} turns, counted from 0` }])
  }
  const isOwn = ({ by, count }: Saved): boolean => by === 'run' && (toTurn === undefined || count >= toTurn)
  const last = saved.findLast(isOwn)
  const first = saved.findIndex(one => isOwn(one) && (toTurn !== undefined || one.count === last?.count))
  return first < 1 ? [] : saved.slice(first - 1)
}

async function planned({ snapshots }: Keeping, steps: readonly Saved[], root: string) {
  const read = []
  for (const { ref, by } of steps) read.push({ by, ...(await snapshots.read(ref)) })
  const [target] = read
  if (!target) throw new Error('there is a snapshot to go back to')
  const { manifest, base, files } = target
  const folder: WatchedFolder = await snapshots.watch({ root, base, layer: manifest.layer })
  const plan: UndoPlan = planUndo(
    read.map(step => ({ by: step.by, files: withModes(step.files, path => step.manifest.modes[path]) })),
    {
      files: withModes(folder.held.entries, path => folder.held.modes.get(path)),
      unsaved: new Map(Array.from(folder.held.leftOut, ([path, { reason }]) => [path, reason])),
    },
  )
  return { plan, folder, root, manifest, files }
}

function questionOf({ changes }: Pick<Undone, 'changes'>): string {
  const lines = changes.slice(0, MOST_SHOWN).map(({ action, path }) => `${action.padEnd(8)}${path}`)
  const more = changes.length > MOST_SHOWN ? [`and ${changes.length - MOST_SHOWN} more`] : []
  return [...lines, ...more, 'Undo this? What is there now is saved first.'].join('\n')
}

const MOST_SHOWN = 100

function byOf({ caller }: Call): string {
  return `${caller.role} ${caller.connection}`
}
