// A folder that is saved again and again, each time at the cost of what changed since.
import { type Clock, timestamp } from '../../kernel/clock.ts'
import { QedError } from '../../kernel/errors.ts'
import type { RunId } from '../../kernel/ids.ts'
import type { Objects } from '../objects/objects.ts'
import { lstatIfThere } from '../paths.ts'
import { REDACTED } from '../redaction/text-redactor.ts'
import { type Manifest, snapshotMessage } from './manifest.ts'
import type { LeftOut } from './select.ts'
import { skipOf, type TreeTaker } from './take-tree.ts'
import { skipGlobs } from './walk.ts'
import { type Watch, watchFolder } from './watch.ts'

export interface WatchOptions {
  /** The place or checkout. */
  root: string
  /** The commit that it started from; null before the first one. */
  base: string | null
  /** The prepared layer in it, relative to it. */
  layer?: readonly string[]
  /** Whether the index of the checkout may say which files are unchanged: only where no worker could have written it. */
  trustIndex?: boolean
  /** Gives up looks that nobody waits for any more. */
  signal?: AbortSignal
}

export interface SaveOptions {
  run: RunId
  scratch?: string
  reason: string
}

export interface Snapshot {
  ref: string
  commit: string
  tree: string
  n: number
  run: string
  at: string
  reason: string
  base: string | null
  left_out: LeftOut[]
}

/** Saving it saves what is held. */
export interface WatchedFolder extends Watch {
  save: (options: SaveOptions) => Promise<Snapshot>
}

export const PREFIX = 'refs/qed/snapshots'
const MOST_TRIES = 50

/** Gives folders to be saved. A ref appears only when everything that it names is in the repository. */
export function createWatching(
  taker: TreeTaker,
  { objects, skip, clock }: { objects: Objects; skip: readonly string[]; clock: Clock },
): (options: WatchOptions) => Promise<WatchedFolder> {
  const nextNumber = createNumbers(objects)
  const save = async (
    { held, store }: Watch,
    { run, base, layer, scratch, reason }: SaveOptions & { base: string | null; layer: readonly string[] },
  ): Promise<Snapshot> => {
    const tree = await store()
    const at = timestamp(clock)
    const scratchCommit = scratch !== undefined && lstatIfThere(scratch) ? await scratchOf(scratch) : null
    const leftOut = [...held.leftOut.values()]
    const manifest: Manifest = {
      version: 1,
      run,
      base,
      reason,
      at,
      left_out: leftOut.map(one => (held.unnamed.has(one.path) ? { ...one, path: REDACTED } : one)),
      modes: Object.fromEntries(held.modes),
      empty_folders: [...held.emptyFolders],
      scratch: scratchCommit,
      layer: [...layer],
    }
    const parents = [base, scratchCommit].filter(parent => parent !== null)
    return nextNumber(run, async n => {
      const commit = await objects.commit({ tree, parents, message: snapshotMessage(n, manifest) })
      const ref = `${PREFIX}/${run}/${n}`
      const isMade = await objects.makeRef(ref, commit)
      return isMade && { ref, commit, tree, n, run, at, reason, base, left_out: leftOut }
    })
  }
  const scratchOf = async (scratch: string): Promise<string> => {
    const { entries } = await taker.take(scratch, null, { store: true })
    const tree = objects.tree()
    for (const [path, entry] of entries) tree.set(path, entry)
    return objects.commit({ tree: await tree.store(), parents: [], message: 'QED scratch folder\n' })
  }
  return async ({ root, base: commit, layer = [], trustIndex = false, signal }) => {
    const globs = skipGlobs(skipOf(skip, layer))
    const base = await taker.base(commit)
    if (trustIndex) taker.trustIndex(root, base)
    const folder = await watchFolder({ root, base, taker, objects, globs, layer, signal })
    return { ...folder, save: how => save(folder, { base: commit, layer, ...how }) }
  }
}

/** Tries numbers of a run until one can be had: another QED may take one first, and a lock that a killed one left behind blocks
 *  one. */
function createNumbers({ newest }: Objects) {
  const last = new Map<string, number>()
  return async <T>(run: RunId, attempt: (n: number) => Promise<T | false>): Promise<T> => {
    let n = last.get(run) ?? (await newest(run))
    for (let tries = 1; ; tries++) {
      n++
      const done = await attempt(n)
      if (done !== false) {
        last.set(run, n)
        return done
      }
      if (tries === MOST_TRIES) throw new NumbersTaken(run, n)
      n = Math.max(n, await newest(run))
    }
  }
}

class NumbersTaken extends QedError {
  readonly code = 'busy'
  constructor(run: string, n: number) {
    super(`No number for a snapshot of ${run} could be had; the last one tried was ${n}. Nothing was saved.`, { details: { run, n } })
  }
}
