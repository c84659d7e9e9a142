import type { Clock } from '../kernel/clock.ts'
import { type Backups, createBackups } from './destructive/backups.ts'
import { filesClass } from './destructive/files.ts'
import { gitClass } from './destructive/git-refs.ts'
import { sqliteClass } from './destructive/sqlite.ts'
import { createGit, type Git } from './git/git.ts'
import { OUTSIDE_RUNS } from './isolation/detect.ts'
import { type IsSensitive, isSensitiveName } from './isolation/sensitive.ts'
import { createPlaces, type Places } from './place/places.ts'
import type { Sandbox } from './sandbox.ts'
import { DEFAULT_LAYER, DEFAULT_OUTPUTS } from './scope/outputs.ts'
import { createSnapshots, type Snapshots } from './snapshot/snapshots.ts'

export interface KeepingOptions {
  sandbox: Sandbox
  project: { id: string; root: string; gitFolder: string }
  clock: Clock
  /** Further patterns of build output. */
  outputs: readonly string[]
  /** Ignored files of the checkout that each place gets a copy of. */
  include?: readonly string[]
  isSensitive?: IsSensitive
  holdsSecret?: (content: Buffer) => boolean
}

/** Where the work of one project is kept: places, snapshots, backups. */
export interface Keeping {
  git: Git
  snapshots: Snapshots
  places: Places
  backups: Backups
}

export function createKeeping({
  sandbox,
  project,
  clock,
  outputs,
  include = [],
  isSensitive = isSensitiveName,
  holdsSecret,
}: KeepingOptions): Keeping {
  const { processes, state } = sandbox
  const git = createGit(processes, project)
  const allOutputs = [...DEFAULT_OUTPUTS, ...outputs]
  const snapshots = createSnapshots({
    git,
    state,
    clock,
    isSensitive,
    skip: [...allOutputs, ...DEFAULT_LAYER],
    ...(holdsSecret && { holdsSecret }),
  })
  const classes = { files: filesClass, sqlite: sqliteClass, git: gitClass({ git, snapshots, run: OUTSIDE_RUNS }) }
  return {
    git,
    snapshots,
    places: createPlaces({ git, snapshots, state, project, clock, outputs: allOutputs, include, isSensitive }),
    backups: createBackups({ state, clock, classes }),
  }
}
