import { homedir } from 'node:os'
import { join } from 'node:path'
import { type Clock, systemClock } from './kernel/clock.ts'
import type { EventCatalogue } from './kernel/event.ts'
import type { Json } from './kernel/json.ts'
import { redactJson, redactText } from './policy/secrets/redact.ts'
import type { ConfigPlaces } from './project/config/config.ts'
import { type Environment, type PersonalFolders, personalFolders } from './project/folders.ts'
import { findProject, type Project, requireProject } from './project/root.ts'
import type { Requirement } from './sandbox/isolation/isolation.ts'
import type { Sandbox } from './sandbox/sandbox.ts'
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
  projectStore(): Promise<Store>
  personalStore(): Promise<Store>
  /** Where processes run. */
  sandbox(): Promise<Sandbox>
  close(): void
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
  const openStore = async (kind: 'project' | 'personal', path: string): Promise<Store> => {
    const [{ openStore }, kinds, log] = await Promise.all([import('./store/store.ts'), import('./store/kinds.ts'), logOptions()])
    return openStore(path, kind === 'project' ? kinds.projectStore : kinds.personalStore, log)
  }
  // A store that could not be opened is tried again by the next call: the reason may be gone.
  const opened = (kind: 'project' | 'personal', path: () => string): Promise<Store> =>
    (open[kind] ??= openStore(kind, path()).catch((error: unknown) => {
      delete open[kind]
      throw error
    }))

  let sandbox: Promise<Sandbox> | undefined
  const openSandbox = async (): Promise<Sandbox> => {
    const [{ createSandbox }, { gitFolderOf }, { getSetting }, { parseExtra }] = await Promise.all([
      import('./sandbox/sandbox.ts'),
      import('./sandbox/git/git-folder.ts'),
      import('./project/config/config.ts'),
      import('./sandbox/isolation/environment.ts'),
    ])
    const project = findProject(cwd)
    const setting = (key: string): Json => getSetting(app.configPlaces(), key).value
    return createSandbox({
      env,
      home: env['HOME'] || homedir(),
      personal: folders.data,
      private: [folders.config, folders.cache],
      project: project && { root: project.root, gitFolder: gitFolderOf(project.root) },
      require: setting('isolation.require') as Requirement,
      homeRead: setting('sandbox.home_read') as string[],
      extraEnv: (setting('sandbox.env') as string[]).map(parseExtra),
      redact: redactText,
      clock,
    })
  }

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
    projectStore: () => opened('project', () => app.storePath()),
    personalStore: () => opened('personal', () => join(folders.data, 'qed.db')),
    sandbox: () => (sandbox ??= openSandbox()),
    close: () => {
      for (const kind of ['project', 'personal'] as const) {
        open[kind]?.then(store => store.close()).catch(() => undefined)
        delete open[kind]
      }
    },
  }
  return app
}
