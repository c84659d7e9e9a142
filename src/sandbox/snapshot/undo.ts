// Undoing goes back over the snapshots of a run to an earlier one, but takes back only what the run did: each snapshot differs from
// the one before it either by the run's doing or by someone else's.
import type { TreeEntry } from '../git/tree.ts'
import { type Change, changesBetween } from './changes.ts'

type Files = ReadonlyMap<string, TreeEntry>

export interface UndoStep {
  by: 'run' | 'other'
  files: Files
}

export interface UndoPlan {
  /** What has to happen to the folder. */
  changes: Change[]
  blocked: { path: string; why: string }[]
}

/** `steps`: the snapshot to go back to, then every one after it. `now`: what is there, and what of it no snapshot can hold. */
export function planUndo(steps: readonly UndoStep[], now: { files: Files; unsaved: ReadonlyMap<string, string> }): UndoPlan {
  const own = pathsChanged(steps, 'run')
  const others = pathsChanged(steps, 'other')
  const wanted = steps[0]?.files ?? new Map<string, TreeEntry>()
  const left = steps.at(-1)?.files ?? wanted
  const plan: UndoPlan = { changes: [], blocked: [] }
  for (const path of [...own].sort()) {
    const unsaved = now.unsaved.get(path)
    const [change] = changesBetween(only(now.files, path), only(wanted, path))
    const isTheirs = others.has(path) || changesBetween(only(left, path), only(now.files, path)).length > 0
    if (unsaved !== undefined) plan.blocked.push({ path, why: `what is there now could not be saved (${unsaved})` })
    else if (change && isTheirs) plan.blocked.push({ path, why: 'someone else has changed it since' })
    else if (change) plan.changes.push(change)
  }
  return plan
}

function pathsChanged(steps: readonly UndoStep[], by: UndoStep['by']): Set<string> {
  return new Set(
    steps.flatMap((step, i) => {
      const before = steps[i - 1]
      return before && step.by === by ? changesBetween(before.files, step.files).map(({ path }) => path) : []
    }),
  )
}

function only(files: Files, path: string): Files {
  const entry = files.get(path)
  return new Map(entry ? [[path, entry]] : [])
}
