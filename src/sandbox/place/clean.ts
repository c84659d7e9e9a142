import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { RunId } from '../../kernel/ids.ts'
import { makeFolder } from '../../store/files.ts'
import type { Git } from '../git/git.ts'
import { readTree, type TreeEntry } from '../git/tree.ts'
import { lstatIfThere } from '../paths.ts'
import { openAttic } from '../snapshot/attic.ts'
import type { Snapshots } from '../snapshot/snapshots.ts'
import { CleanupUnsaved } from './errors.ts'
import type { Place } from './place.ts'

export interface Saved {
  run: string
  snapshot: string | null
  attic: string | null
  files: number
  left_out: string[]
}

// Clean-up: snapshot → move what git does not take to the attic → put the place aside → compare every file with what is saved →
// call it saved → remove. Killed before it is called saved, the place or the place put aside is still there, and the next clean-up
// starts over; killed after, the next one only removes: half a place must never look like the newest state.

export async function removePlace(
  place: Place,
  { git, snapshots, state }: { git: Git; snapshots: Snapshots; state: string },
): Promise<Saved> {
  const aside = `${place.path}.removing`
  const saved = `${place.path}.saved`
  if (lstatIfThere(saved)) return finish(place, { git, state, snapshots, saved })
  if (!lstatIfThere(place.path) && lstatIfThere(aside)) renameSync(aside, place.path)
  if (!lstatIfThere(place.path)) return forget(place, git, { run: place.run, snapshot: null, attic: null, files: 0, left_out: [] })
  const run = place.run as RunId
  const snapshot = await snapshots.take({
    run,
    root: place.path,
    base: place.base,
    scratch: place.scratch,
    layer: place.layer,
    reason: CLEAN_UP,
  })
  const { files, manifest } = await snapshots.read(snapshot.ref)
  openAttic(state, run).put(
    place.path,
    snapshot.left_out.map(({ path }) => path),
  )
  if (lstatIfThere(place.scratch)) {
    const scratch = await snapshots.look(place.scratch, null)
    openAttic(state, run, 'scratch').put(
      place.scratch,
      scratch.leftOut.map(({ path }) => path),
    )
  }
  keepOwnGit(place, state)

  renameSync(place.path, aside)
  const inScratch = manifest.scratch === null ? new Map<string, TreeEntry>() : await readTree(git, manifest.scratch)
  const unsaved = [
    ...(await uncovered(aside, { base: place.base, layer: place.layer, files, snapshots })),
    ...(lstatIfThere(place.scratch) ? await uncovered(place.scratch, { base: null, layer: [], files: inScratch, snapshots }) : []),
  ]
  if (unsaved.length > 0) {
    renameSync(aside, place.path)
    throw new CleanupUnsaved(place.path, unsaved)
  }
  renameSync(aside, saved)
  return finish(place, { git, state, snapshots, saved })
}

/** Removes what is saved, and tells where. */
async function finish(
  place: Place,
  { git, state, snapshots, saved }: { git: Git; state: string; snapshots: Snapshots; saved: string },
): Promise<Saved> {
  rmSync(place.scratch, { recursive: true, force: true })
  rmSync(saved, { recursive: true, force: true })
  const newest = (await snapshots.list(place.run)).findLast(({ reason }) => reason === CLEAN_UP)
  const attic = join(state, 'attic', place.run)
  return forget(place, git, {
    run: place.run,
    snapshot: newest?.ref ?? null,
    attic: lstatIfThere(attic) ? attic : null,
    files: newest ? (await snapshots.read(newest.ref)).files.size : 0,
    left_out: newest?.left_out.map(({ path }) => path) ?? [],
  })
}

const CLEAN_UP = 'clean-up'

/** Files that are not, byte for byte, in what was saved. */
async function uncovered(
  root: string,
  at: { base: string | null; layer: string[]; files: ReadonlyMap<string, TreeEntry>; snapshots: Snapshots },
): Promise<string[]> {
  const now = await at.snapshots.look(root, at.base, at.layer)
  const changed = [...now.entries.values()].filter(({ path, oid }) => at.files.get(path)?.oid !== oid).map(({ path }) => path)
  return [...changed, ...now.leftOut.map(({ path }) => path)]
}

// The commits that a worker made in its own clone: its git folder is not ours to read, so it is kept whole.
function keepOwnGit(place: Place, state: string): void {
  const own = join(place.path, '.git')
  if (place.kind !== 'clone' || !lstatIfThere(own)?.isDirectory()) return
  const folder = join(state, 'attic', place.run)
  makeFolder(folder, { private: true })
  rmSync(join(folder, 'git'), { recursive: true, force: true })
  renameSync(own, join(folder, 'git'))
}

async function forget(place: Place, git: Git, saved: Saved): Promise<Saved> {
  // Twice: it is locked. Its files are gone already; this takes out git's own note of it.
  if (place.kind === 'worktree') await git.call(['worktree', 'remove', '--force', '--force', place.path], { answers: [0, 128] })
  return saved
}
