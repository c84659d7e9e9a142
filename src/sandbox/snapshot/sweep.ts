import type { Git } from '../git/git.ts'
import { openAttic } from './attic.ts'
import { type Change, changesBetween } from './changes.ts'
import type { Snapshots } from './snapshots.ts'
import { carryOut, removeFile, removeFolder } from './write-files.ts'

export interface SweepOptions {
  git: Git
  snapshots: Snapshots
  state: string
  run: string
  place: string
  /** The state before the command. */
  before: string
  /** Whether a path belongs to the scope. */
  isOwned: (path: string) => boolean
}

export interface Sweep {
  reverted: Change[]
  /** Where new files were put; null where there were none. */
  kept: string | null
}

/** Puts back what a command changed outside its scope. New files go to the attic, never away. */
export async function sweep({ git, snapshots, state, run, place, before, isOwned }: SweepOptions): Promise<Sweep> {
  const { files, manifest, base } = await snapshots.read(before)
  const now = await snapshots.look(place, base, manifest.layer)
  // What a snapshot leaves out is there without standing in it: known before, it is none of the command's doing.
  const known = new Set(manifest.left_out.map(({ path }) => path))
  const strange = now.leftOut.map(({ path }) => path).filter(path => !known.has(path) && !isOwned(path))
  const outside = changesBetween(files, now.entries).filter(({ path }) => !isOwned(path) && !known.has(path))
  const isNew = (path: string): boolean => !files.has(path)
  const moved = [...outside.map(({ path }) => path).filter(isNew), ...strange.filter(isNew)]
  const attic = openAttic(state, run, `swept-${Date.now().toString(36)}`)
  attic.put(place, moved)
  // The files are gone already; what is left are the folders made for them.
  for (const path of moved) removeFile(place, path)
  const back = outside.filter(({ path }) => !isNew(path))
  const changed = strange.filter(path => files.has(path)).map(path => ({ path, kind: 'modified' as const }))
  const repairs = [...back, ...changed].map(({ path, kind }): Change => ({ path, kind: REVERSE[kind] }))
  await carryOut(git, place, repairs, { files, modes: manifest.modes })
  removeEmpty(
    place,
    now.emptyFolders.filter(folder => !isOwned(`${folder}/x`) && !manifest.empty_folders.includes(folder)),
  )
  const reverted = [...outside, ...strange.map(path => ({ path, kind: isNew(path) ? ('added' as const) : ('modified' as const) }))]
  return { reverted: [...new Map(reverted.map(change => [change.path, change])).values()], kept: moved.length > 0 ? attic.folder : null }
}

const REVERSE: Record<Change['kind'], Change['kind']> = { added: 'deleted', deleted: 'added', modified: 'modified', mode: 'mode' }

const MOST_SWEEPS = 3

/** What repeated leaving of the scope means for the run. */
export function judgeSweeps(times: number): { kind: 'go-on' } | { kind: 'end'; finding: 'scope.repeated' } {
  return times >= MOST_SWEEPS ? { kind: 'end', finding: 'scope.repeated' } : { kind: 'go-on' }
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
