import type { RunId } from '../../kernel/ids.ts'
import type { IsolationInForce } from '../../kernel/isolation.ts'
import type { JsonObject } from '../../kernel/json.ts'
import type { SavedBy } from '../../runs/saved.ts'
import type { Git } from '../../sandbox/git/git.ts'
import type { Snapshots } from '../../sandbox/snapshot/snapshots.ts'
import type { Sweep } from '../../sandbox/snapshot/sweep.ts'
import type { Seen } from '../../sandbox/snapshot/watch.ts'
import type { WatchedFolder } from '../../sandbox/snapshot/watching.ts'

// What looks at files and writes snapshots is loaded when there is time for it: while a model is awaited.

export interface At {
  loop: number
  turn: number
}

/** Where the work of a project is kept. */
export interface Keeper {
  git: Git
  snapshots: Snapshots
  state: string
}

export interface BookOptions {
  /** Opened when there is time for it. */
  keeper: () => Promise<Keeper>
  run: RunId
  root: string
  /** Whether it is the person's own checkout, whose index no worker writes. */
  trustIndex: boolean
  /** What was prepared in the folder: no part of the work. */
  layer: readonly string[]
  /** Null: the run has no scope, and nothing is put back. */
  scope: readonly string[] | null
  isolation: () => Promise<IsolationInForce | null>
  write: (type: string, data: JsonObject) => void
  /** A run that goes on: whose doing is what changed since its last snapshot, where it stood, and how often it left its scope. */
  resumed: { by: SavedBy; at: At; sweeps: number } | null
}

/** The snapshots of one run, in the order in which they are asked for. */
export function createBook(options: BookOptions) {
  const { run, write, resumed } = options
  const { open, giveUp } = openWhenNeeded(options)
  let isBegun = false
  /** What the turn may have changed since the last look; null: anything. */
  let touched: Set<string> | null = new Set()
  /** Whether the turn changed something that no snapshot has yet. */
  let isChanged = false
  let turn: At = resumed?.at ?? { loop: 1, turn: 0 }
  /** Paths that the run has changed, be it that it changed them back. */
  const own = new Set<string>()

  const save = async (by: SavedBy, reason: string): Promise<string> => {
    const { folder } = await open()
    const { ref, n, tree } = await folder.save({ run, reason })
    isChanged = false
    write('snapshot.taken', { ...turn, ref, n, tree, by, reason })
    return ref
  }
  const hold = (seen: Seen): void => {
    seen.take()
    for (const { path } of seen.changes) own.add(path)
    isChanged ||= seen.changes.length > 0
  }
  /** What the turn has made so far is its own. */
  const holdTouched = async (): Promise<void> => {
    if (touched?.size === 0) return
    const { folder } = await open()
    hold(await folder.look(touched === null ? undefined : [...touched]))
    touched = new Set()
  }
  const saveTurn = async (): Promise<void> => {
    await holdTouched()
    if (isChanged) await save('run', `turn ${turn.turn}`)
  }
  return {
    /** Nothing came to be changed: whoever is still looking may stop. */
    giveUp: (): void => (isBegun ? undefined : giveUp()),
    /** What there is to do now that a turn has ended. An effect of the next one may come first, and has then done it itself. */
    afterTurn: (): (() => Promise<void>) => {
      const ended = turn
      return async () => {
        if (!isBegun) await open()
        else if (turn === ended) await saveTurn()
      }
    },
    expect: async (paths: readonly string[] | null, at: At): Promise<void> => {
      const { folder } = await open()
      if (!isBegun) {
        if (!resumed) turn = at
        await save(resumed?.by ?? 'other', resumed ? 'resumed' : 'before the first effect')
        isBegun = true
      }
      if (at.loop === turn.loop && at.turn === turn.turn) await holdTouched()
      else await saveTurn()
      turn = at
      const seen = await folder.look(paths ?? undefined)
      if (seen.changes.length > 0) await saveTurn()
      seen.take()
      if (seen.changes.length > 0) await save('other', 'changed by others')
      touched = paths === null ? null : new Set(paths)
    },
    putBack: async (): Promise<Sweep | null> => {
      const opened = await open()
      const { seen, plan, carryOut } = await outsideOf(options, opened)
      touched = new Set()
      hold(seen)
      if (plan.reverted.length + plan.emptyFolders.length === 0) return null
      // Whoever made it may want it back.
      const snapshot = await save('run', 'outside the scope')
      const put = await carryOut()
      hold(await opened.folder.look())
      if (put.reverted.length === 0) return null
      write('scope.reverted', { ...turn, paths: put.reverted.map(change => ({ ...change })), kept: put.kept, snapshot })
      return put
    },
    /** Gives what is otherwise because of the run; null where only its snapshots can tell, because another process took some. */
    end: async (): Promise<string[] | null> => {
      if (!isBegun) return resumed ? null : []
      await saveTurn()
      const { keeper, folder } = await open()
      ;(await folder.look()).take()
      await save('other', 'end')
      await keeper.snapshots.publish()
      return resumed ? null : [...own].filter(folder.isOther).sort()
    },
  }
}

/** The folder that a run works in. What could not be opened is tried again: the reason may be gone. */
function openWhenNeeded(options: BookOptions): { open: () => Promise<OpenFolder>; giveUp: () => void } {
  const unwanted = new AbortController()
  let opened: Promise<OpenFolder> | null = null
  const open = (): Promise<OpenFolder> =>
    (opened ??= openFolder(options, unwanted.signal).catch((error: unknown) => {
      opened = null
      throw error
    }))
  return { open, giveUp: () => unwanted.abort() }
}

interface OpenFolder {
  keeper: Keeper
  folder: WatchedFolder
}

async function openFolder({ keeper: open, root, trustIndex, layer }: BookOptions, signal: AbortSignal): Promise<OpenFolder> {
  const [keeper, { headOf }] = await Promise.all([open(), import('../../sandbox/git/head.ts')])
  return { keeper, folder: await keeper.snapshots.watch({ root, base: await headOf(keeper.git, root), layer, trustIndex, signal }) }
}

/** What is otherwise than it was, and what of it a command may not have changed. */
async function outsideOf({ scope, root, run, isolation }: BookOptions, { keeper, folder: { look, held } }: OpenFolder) {
  const [{ strangeTo }, { planSweep, sweep }] = await Promise.all([import('./strange.ts'), import('../../sandbox/snapshot/sweep.ts')])
  const isStrange = scope === null ? () => false : strangeTo(scope, { root, isolation: await isolation() })
  const seen = await look()
  const plan = planSweep(held, seen, isStrange)
  const carryOut = async (): Promise<Sweep> => {
    // What was there before is read from the repository.
    await keeper.snapshots.publish()
    return sweep(plan, { ...keeper, run, place: root })
  }
  return { seen, plan, carryOut }
}
