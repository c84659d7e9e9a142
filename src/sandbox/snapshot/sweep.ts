import type { Git } from '../git/git.ts'
import type { TreeEntry } from '../git/tree.ts'
import { openAttic } from './attic.ts'
import type { Change } from './changes.ts'
import type { Held, Seen } from './watch.ts'
import { carryOut, removeFile, removeFolder } from './write-files.ts'

/** What is to be put back, and to what. */
export interface SweepPlan {
  reverted: Change[]
  /** As it was before. */
  files: Map<string, TreeEntry>
  modes: Record<string, string>
  emptyFolders: string[]
}

/** What a command changed outside its scope. `isStrange` says of a path whether that is so; `isNew`: nothing was there before. */
export function planSweep(held: Readonly<Held>, seen: Seen, isStrange: (path: string, isNew: boolean) => boolean): SweepPlan {
  const unsaved = seen.leftOut.map(({ path }): Change => ({ path, kind: held.entries.has(path) ? 'modified' : 'added' }))
  const changes = [...new Map([...seen.changes, ...unsaved].map(change => [change.path, change])).values()]
  // What a snapshot leaves out is there without standing in it: known before, it is none of the command's doing.
  const reverted = changes.filter(({ path }) => !held.leftOut.has(path) && isStrange(path, !held.entries.has(path)))
  const paths = reverted.map(({ path }) => path)
  return {
    reverted,
    files: new Map(paths.flatMap(path => entryOf(held.entries, path))),
    modes: Object.fromEntries(paths.flatMap(path => entryOf(held.modes, path))),
    emptyFolders: seen.emptyFolders.filter(folder => isStrange(`${folder}/x`, true)),
  }
}

export interface Sweep {
  reverted: Change[]
  /** Where new files were put; null where there were none. */
  kept: string | null
}

/** Puts back what a command changed outside its scope. New files go to the attic, never away. */
export async function sweep(
  { reverted, files, modes, emptyFolders }: SweepPlan,
  { git, state, run, place }: { git: Git; state: string; run: string; place: string },
): Promise<Sweep> {
  const moved = reverted.map(({ path }) => path).filter(path => !files.has(path))
  const attic = openAttic(state, run, `swept-${Date.now().toString(36)}`)
  attic.put(place, moved)
  // The files are gone already; what is left are the folders made for them.
  for (const path of moved) removeFile(place, path)
  const repairs = reverted.filter(({ path }) => files.has(path)).map(({ path, kind }): Change => ({ path, kind: REVERSE[kind] }))
  await carryOut(git, place, repairs, { files, modes })
  removeEmpty(place, emptyFolders)
  return { reverted, kept: moved.length > 0 ? attic.folder : null }
}

const REVERSE: Record<Change['kind'], Change['kind']> = { added: 'deleted', deleted: 'added', modified: 'modified', mode: 'mode' }

const MOST_SWEEPS = 3

/** What repeated leaving of the scope means for the run. */
export function judgeSweeps(times: number): { kind: 'go-on' } | { kind: 'end'; finding: 'scope.repeated' } {
  return times >= MOST_SWEEPS ? { kind: 'end', finding: 'scope.repeated' } : { kind: 'go-on' }
}

function entryOf<T>(map: ReadonlyMap<string, T>, path: string): [string, T][] {
  const value = map.get(path)
  return value === undefined ? [] : [[path, value]]
}

function removeEmpty(root: string, folders: string[]): void {
  for (const folder of folders.sort().reverse()) {
    try {
      removeFolder(root, folder)
    } catch {
      // Filled meanwhile: the next sweep sees what with.
    }
  }
}
