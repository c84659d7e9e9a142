import type { Clock } from '../kernel/clock.ts'
import type { Database } from '../store/database.ts'
import { type Backups, createBackups } from './destructive/backups.ts'
import { createBackupCommands } from './destructive/commands.ts'
import { databaseClass } from './destructive/database.ts'
import { filesClass } from './destructive/files.ts'
import { gitClass } from './destructive/git-refs.ts'
import { processesClass } from './destructive/processes.ts'
import { sqliteClass } from './destructive/sqlite.ts'
import { createGit, type Git } from './git/git.ts'
import { OUTSIDE_RUNS } from './isolation/detect.ts'
import { type IsSensitive, isSensitiveName } from './isolation/sensitive.ts'
import { removeLeftBehind } from './left-behind.ts'
import { createPlaces, type PlaceLimits, type Places } from './place/places.ts'
import { systemProcTable } from './process/proc-table.ts'
import type { Sandbox } from './sandbox.ts'
import { DEFAULT_LAYER, DEFAULT_OUTPUTS } from './scope/outputs.ts'
import { createSnapshots, type KeepDays, type Snapshots } from './snapshot/snapshots.ts'
import type { FindsSecret } from './snapshot/take-tree.ts'

export interface KeepingOptions {
  sandbox: Sandbox
  project: { id: string; root: string; gitFolder: string }
  clock: Clock
  /** The store of the project. */
  db?: Database
  /** Further patterns of build output. */
  outputs: readonly string[]
  /** Ignored files of the checkout that each place gets a copy of. */
  include?: readonly string[]
  isSensitive?: IsSensitive
  holdsSecret?: FindsSecret
  limits?: PlaceLimits
  keepDays?: KeepDays & { backups: number }
  /** Whether the work of a run has landed: it is kept for a shorter time. */
  landed?: (run: string) => boolean
  /** Writes down what the clock removed. */
  record?: (removed: Tidied) => Promise<void>
}

/** What was older than its time and is gone. */
export interface Tidied {
  snapshots: string[]
  backups: string[]
}

/** Where the work of one project is kept: places, snapshots, backups. */
export interface Keeping {
  git: Git
  snapshots: Snapshots
  places: Places
  backups: Backups
  /** Removes what is older than its time. Done at the start of each run and after a clean-up. */
  tidy: () => Promise<Tidied>
}

export function createKeeping(options: KeepingOptions): Keeping {
  const { sandbox, project, clock, include = [], isSensitive = isSensitiveName, keepDays, limits, landed = () => false } = options
  const { processes, isolation, state } = sandbox
  const git = createGit(processes, project)
  const outputs = [...DEFAULT_OUTPUTS, ...options.outputs]
  const snapshots = createSnapshots({
    git,
    state,
    clock,
    isSensitive,
    skip: [...outputs, ...DEFAULT_LAYER],
    ...(options.db && { db: options.db }),
    ...(options.holdsSecret && { holdsSecret: options.holdsSecret }),
    ...(keepDays && { keep: keepDays }),
  })
  const command = createBackupCommands(processes, OUTSIDE_RUNS)
  const classes = {
    files: filesClass,
    sqlite: sqliteClass,
    git: gitClass({ git, snapshots, run: OUTSIDE_RUNS }),
    database: databaseClass(command),
    processes: processesClass(command, systemProcTable()),
  }
  const backups = createBackups({ state, clock, classes, project: project.id, ...(keepDays && { keepDays: keepDays.backups }) })
  const isolated = async (): Promise<boolean> => (await isolation.state()).kind === 'available'
  const places = createPlaces({ git, snapshots, state, project, clock, outputs, include, isSensitive, isolated, ...(limits && { limits }) })
  const tidy = async (): Promise<Tidied> => {
    const gone = await backups.expire()
    const needed = new Set(backups.list().map(({ id }) => `backup ${id}`))
    const removed = { snapshots: await snapshots.expire({ landed, isNeeded: ({ reason }) => needed.has(reason) }), backups: gone }
    removeLeftBehind(state, clock)
    if (removed.snapshots.length + removed.backups.length > 0) await options.record?.(removed)
    return removed
  }
  return {
    git,
    snapshots,
    backups,
    tidy,
    places: {
      ...places,
      make: async place => {
        await tidy()
        return places.make(place)
      },
    },
  }
}
