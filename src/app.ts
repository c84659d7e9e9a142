import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { telemetryTarget } from './engine/telemetry/target.ts'
import { createTelemetry, type Follower } from './engine/telemetry/telemetry.ts'
import { type Clock, systemClock } from './kernel/clock.ts'
import type { EventCatalogue } from './kernel/event.ts'
import type { Json } from './kernel/json.ts'
import type { Models } from './models/models.ts'
import type { ModelSettings } from './models/resolve/spec.ts'
import { redactJson, redactText } from './policy/secrets/redact.ts'
import type { ReadShell } from './policy/shell-port.ts'
import type { ConfigPlaces } from './project/config/config.ts'
import { type Environment, type PersonalFolders, personalFolders } from './project/folders.ts'
import { findProject, type Project, requireProject } from './project/root.ts'
import type { Proofs } from './proof/service/proofs.ts'
import type { Requirement } from './sandbox/isolation/consents.ts'
import type { Keeping } from './sandbox/keeping.ts'
import { withoutValues } from './sandbox/redaction/value-redactor.ts'
import type { Sandbox } from './sandbox/sandbox.ts'
import type { CanaryWatch } from './sandbox/vault/canary.ts'
import { createKnownValues, type KnownValues } from './sandbox/vault/known-values.ts'
import type { Vault } from './sandbox/vault/vault.ts'
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
  readShell(): Promise<ReadShell>
  /** Where processes run. */
  sandbox(): Promise<Sandbox>
  /** Secrets by name. `passphrase` asks the person, where the identity is under one. */
  vault(passphrase?: () => Promise<string>): Promise<Vault>
  /** Values of the vault, as far as it can be opened without a person. */
  knownSecrets(): Promise<readonly string[]>
  /** Looks for the vault's bait where it may never be. */
  canary(): Promise<CanaryWatch>
  /** Places, snapshots and backups of the project. Throws `project_unknown` outside one. */
  keeping(): Promise<Keeping>
  /** The models that can be used here. */
  models(): Promise<Models>
  /** Proofs of the repository around the folder; it need not be a project. */
  proofs(): Promise<Proofs>
  close(): Promise<void>
}

export function createApp(options: AppOptions): App {
  const { cwd, env } = options
  const clock = options.clock ?? systemClock
  const folders = personalFolders(env)
  const open: Partial<Record<'project' | 'personal', Promise<Store>>> = {}

  const telemetry = createTelemetry(() => openTelemetry(app))
  const logOptions = async (): Promise<EventLogOptions> => ({ ...(await eventLogOptions(clock, values)), heard: telemetry.hear })
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

  const values = createKnownValues(() => app.vault())
  // Asked for again and again while a run goes on. Where a project was found it stays.
  let vaultOf: string | null = null
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
    readShell: async () => (await import('./policy/read-shell.ts')).readShell,
    sandbox: madeOnce(() => openSandbox(app, values)),
    vault: async passphrase => {
      const { createVault } = await import('./sandbox/vault/vault.ts')
      vaultOf ??= findProject(cwd)?.folder ?? null
      return createVault({ project: vaultOf, personal: folders.data, clock, ...(passphrase && { passphrase }) })
    },
    knownSecrets: async () => {
      await values.load()
      return values.known()
    },
    canary: madeOnce(() => openCanary(app, values)),
    keeping: madeOnce(() => openKeeping(app, values)),
    models: madeOnce(() => openModels(app)),
    proofs: madeOnce(() => openProofs(app)),
    close: async () => {
      await telemetry.close()
      for (const kind of ['project', 'personal'] as const) {
        const store = await open[kind]?.catch(() => undefined)
        store?.close()
        delete open[kind]
      }
    },
  }
  return app
}

/** What could not be made is tried again by the next call: the reason may be gone. */
function madeOnce<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    }))
}

// Every kind of stream there is.
async function eventLogOptions(clock: Clock, values: KnownValues): Promise<EventLogOptions> {
  const [{ projectEvents, personEvents }, { sandboxEvents }, { proofEvents }, { runEvents, budgetEvents }] = await Promise.all([
    import('./project/events.ts'),
    import('./sandbox/events.ts'),
    import('./proof/events.ts'),
    import('./runs/events.ts'),
  ])
  const catalogue: EventCatalogue = {
    project: projectEvents,
    person: personEvents,
    sandbox: sandboxEvents,
    proof: proofEvents,
    run: runEvents,
    budget: budgetEvents,
  }
  const redact: EventLogOptions['redact'] = data => redactJson(data, text => redactText(withoutValues(text, values.known())))
  return { clock, redact, catalogue }
}

async function openSandbox(app: App, values: KnownValues): Promise<Sandbox> {
  const [{ createSandbox }, { gitFolderOf }, { getSetting }, { parseExtra }, canary] = await Promise.all([
    import('./sandbox/sandbox.ts'),
    import('./sandbox/git/git-folder.ts'),
    import('./project/config/config.ts'),
    import('./sandbox/isolation/environment.ts'),
    app.canary(),
  ])
  const { env, folders, clock } = app
  const project = app.findProject()
  const home = env['HOME'] || homedir()
  const setting = (key: string): Json => getSetting(app.configPlaces(), key).value
  const sandbox = createSandbox({
    env,
    home,
    personal: folders.data,
    private: [folders.config, folders.cache],
    project: project && { root: project.root, gitFolder: gitFolderOf(project.root) },
    require: (setting('isolation.require') ?? null) as Requirement,
    homeRead: (setting('sandbox.home_read') as string[]).map(path => inHome(path, home)),
    extraEnv: (setting('sandbox.env') as string[]).map(parseExtra),
    isSensitive: await sensitiveFor(app),
    redact: redactText,
    secret: async name => {
      const value = await (await app.vault()).value(name)
      values.add(value)
      await canary.load()
      return value
    },
    canary,
    values,
    ...(project && {
      accepted: async () => (await import('./project/accepted-isolation.ts')).hasAccepted((await app.personalStore()).log, project.id),
      accept: async what => (await import('./project/accepted-isolation.ts')).accept((await app.personalStore()).log, project.id, what),
    }),
    atOnce: setting('sandbox.processes') as number,
    clock,
  })
  await sandbox.processes.endLeftovers()
  return sandbox
}

/** Which files are secret by their name, as the person's own settings have it. */
async function sensitiveFor(app: App): Promise<(path: string) => boolean> {
  const [{ sensitivityOf }, { getSetting }] = await Promise.all([
    import('./policy/paths/sensitive.ts'),
    import('./project/config/config.ts'),
  ])
  const home = app.env['HOME'] || homedir()
  const excepted = (getSetting(app.configPlaces(), 'sensitive_except').value as string[]).map(path => inHome(path, home))
  return path => sensitivityOf({ real: path, relative: null, home, added: [], excepted })?.kind === 'sensitive'
}

function inHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path
}

async function openCanary(app: App, values: KnownValues): Promise<CanaryWatch> {
  const { createCanaryWatch } = await import('./sandbox/vault/canary.ts')
  return createCanaryWatch({
    vault: () => app.vault(),
    values,
    onSeen: where => {
      app.vault().then(
        vault => vault.markLeaked(where),
        () => undefined,
      )
    },
  })
}

async function openModels(app: App): Promise<Models> {
  const [{ createModels }, { getSetting }] = await Promise.all([import('./models/models.ts'), import('./project/config/config.ts')])
  const setting = (key: string): Json => getSetting(app.configPlaces(), key).value
  return createModels({
    // Read anew each time: a server lives longer than its settings.
    settings: () => ({
      aliases: setting('models') as Record<string, ModelSettings>,
      chosen: (setting('model') ?? null) as string | null,
    }),
    cwd: app.cwd,
    personal: app.folders.data,
    keys: { env: app.env, vault: async name => (await app.vault()).value(name) },
    clock: app.clock,
    sendsAtOnce: setting('engine.sends') as number,
  })
}

async function openTelemetry(app: App): Promise<Follower | null> {
  const { getSetting } = await import('./project/config/config.ts')
  const target = telemetryTarget((getSetting(app.configPlaces(), 'telemetry.endpoint').value ?? null) as string | null, app.env)
  return target && (await import('./engine/telemetry/otlp.ts')).openFollower(target)
}

async function openKeeping(app: App, values: KnownValues): Promise<Keeping> {
  const project = app.project()
  const [{ createKeeping }, { gitFolderOf }, { getSetting }, { createSecretFinder }] = await Promise.all([
    import('./sandbox/keeping.ts'),
    import('./sandbox/git/git-folder.ts'),
    import('./project/config/config.ts'),
    import('./sandbox/vault/secret-finder.ts'),
  ])
  const setting = (key: string): Json => getSetting(app.configPlaces(), key).value
  return createKeeping({
    sandbox: await app.sandbox(),
    project: { ...project, gitFolder: gitFolderOf(project.root) },
    clock: app.clock,
    db: (await app.projectStore()).db,
    outputs: setting('sandbox.outputs') as string[],
    include: setting('sandbox.include') as string[],
    isSensitive: await sensitiveFor(app),
    holdsSecret: createSecretFinder(values, await app.canary()),
    limits: { places: setting('sandbox.places') as number, bytes: setting('sandbox.places_bytes') as number },
    keepDays: {
      days: setting('snapshots.days') as number,
      landedDays: setting('snapshots.landed_days') as number,
      backups: setting('backups.days') as number,
    },
    record: async ({ snapshots, backups }) => {
      const { log } = await app.projectStore()
      log.append('sandbox', 'kept.expired', { snapshots, backups })
    },
  })
}

// Where git looks unless told otherwise. Another place that a person's git config names is not read: QED's git sees no config but
// the repository's.
function ignoreFileOf(env: Environment): string | undefined {
  const file = join(env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config'), 'git', 'ignore')
  return existsSync(file) ? file : undefined
}

async function openProofs(app: App): Promise<Proofs> {
  const project = app.findProject()
  const [{ createProofs }, { findProgram }, { getSetting }, { isTrusted }] = await Promise.all([
    import('./proof/service/proofs.ts'),
    import('./sandbox/find-program.ts'),
    import('./project/config/config.ts'),
    import('./project/trust.ts'),
  ])
  const sandbox = await app.sandbox()
  return createProofs({
    cwd: app.cwd,
    personal: app.folders.data,
    home: app.env['HOME'] || homedir(),
    clock: app.clock,
    sandbox,
    readShell: await app.readShell(),
    redact: sandbox.redaction.text,
    project: project && {
      id: project.id,
      log: (await app.projectStore()).log,
      include: getSetting(app.configPlaces(), 'sandbox.include').value as string[],
      isTrusted: async digest => isTrusted(await app.personalStore(), project.id, digest),
    },
    // Whoever orders a proof orders what it needs; the built-in commands run no scripts of packages.
    mayPrepare: () => Promise.resolve(true),
    excludes: ignoreFileOf(app.env),
    isInstalled: program => findProgram(program, app.env['PATH'] ?? '') !== null,
  })
}
