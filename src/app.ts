import { join } from 'node:path'
import { type Clock, systemClock } from './kernel/clock.ts'
import type { EventCatalogue } from './kernel/event.ts'
import type { Json } from './kernel/json.ts'
import { redactJson } from './policy/secrets/redact.ts'
import type { ConfigPlaces } from './project/config/config.ts'
import { type Environment, type PersonalFolders, personalFolders } from './project/folders.ts'
import { findProject, type Project, requireProject } from './project/root.ts'
import type { EventLogOptions } from './store/event-log.ts'
import type { Store } from './store/store.ts'

// The composition root: the only place that knows all rooms. Rooms that cost start-up time are imported when first asked for.

export interface AppOptions {
  cwd: string
  env: Environment
  clock?: Clock
  /** Settings from the command line, above every file. */
  flags?: Record<string, Json>
  /** A project store elsewhere than in `.qed/`. */
  storePath?: string | undefined
  /** The command that starts this program again, for what runs in a process of its own. */
  self: string[]
}

/** One project, or none, as one process sees it. Opens nothing before it is needed; close it when done. */
export interface App {
  readonly cwd: string
  readonly env: Environment
  readonly clock: Clock
  readonly folders: PersonalFolders
  readonly self: string[]
  findProject(): Project | null
  /** Throws `project_unknown` outside a project. */
  project(): Project
  configPlaces(): ConfigPlaces
  storePath(): string
  logOptions(): Promise<EventLogOptions>
  /** Opens the project's store, and makes it in a checkout that never had one. A store that was there and is gone is
   *  `integrity`, unless `startNew`. */
  projectStore(options?: { startNew?: boolean }): Promise<Store>
  personalStore(): Promise<Store>
  close(): Promise<void>
}

export function createApp(options: AppOptions): App {
  const { cwd, env } = options
  const clock = options.clock ?? systemClock
  const folders = personalFolders(env)
  const open: Partial<Record<'project' | 'personal', Promise<Store>>> = {}

  const logOptions = async (): Promise<EventLogOptions> => {
    const { projectEvents, personEvents } = await import('./project/events.ts')
    const catalogue: EventCatalogue = { project: projectEvents, person: personEvents }
    return { clock, redact: redactJson, catalogue }
  }
  const openKind = async (kind: 'project' | 'personal', path: string, mayCreate: boolean): Promise<Store> => {
    const [{ openStore }, kinds, log] = await Promise.all([import('./store/store.ts'), import('./store/kinds.ts'), logOptions()])
    return openStore(path, kind === 'project' ? kinds.projectStore : kinds.personalStore, { ...log, mayCreate })
  }
  const openProject = async (startNew: boolean): Promise<Store> => {
    const path = app.storePath()
    const { isMissing } = await import('./store/store.ts')
    if (options.storePath !== undefined || !isMissing(path)) return openKind('project', path, false)
    const { noteStore, wasNoted } = await import('./project/known-stores.ts')
    const personal = await app.personalStore()
    // Asked after the file was seen missing, and looked at once more: whoever makes a store notes it when it is there.
    const gone = wasNoted(personal.log, path) && isMissing(path)
    const store = await openKind('project', path, startNew || !gone)
    noteStore(personal.log, path)
    return store
  }
  // A store that could not be opened is tried again by the next call: the reason may be gone.
  const opened = (kind: 'project' | 'personal', make: () => Promise<Store>): Promise<Store> =>
    (open[kind] ??= make().catch((error: unknown) => {
      delete open[kind]
      throw error
    }))

  const app: App = {
    cwd,
    env,
    clock,
    folders,
    self: options.self,
    findProject: () => findProject(cwd),
    project: () => requireProject(cwd),
    configPlaces: () => {
      const project = findProject(cwd)
      return {
        project: project && join(project.folder, 'config.json'),
        personal: join(folders.config, 'config.json'),
        env,
        flags: options.flags ?? {},
      }
    },
    storePath: () => options.storePath ?? join(requireProject(cwd).folder, 'qed.db'),
    logOptions,
    projectStore: ({ startNew = false } = {}) => opened('project', () => openProject(startNew)),
    personalStore: () => opened('personal', () => openKind('personal', join(folders.data, 'qed.db'), true)),
    close: async () => {
      for (const kind of ['project', 'personal'] as const) {
        const store = await open[kind]?.catch(() => undefined)
        store?.close()
        delete open[kind]
      }
    },
  }
  return app
}
