import { mkdirSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { IsolationInForce } from '../../kernel/isolation.ts'
import { isInside, realPath } from '../paths.ts'
import type { GivenSecret, ReadyLaunch, RefusedLaunch } from '../process/isolate.ts'
import { FIRST_FILE_FD, findProgram } from '../process/launch.ts'
import type { Mark } from '../process/mark.ts'
import { shellArgv } from '../process/shell-argv.ts'
import type { ProcessSpec } from '../process/types.ts'
import { bubblewrapArguments, type Mask } from './bubblewrap-arguments.ts'
import { canDisableUserns } from './detect.ts'
import { buildEnvironment, type ExtraVariable } from './environment.ts'
import type { FindSensitive } from './find-sensitive.ts'
import { hostIsolation } from './host.ts'
import { homeIn, planSandbox, type Surroundings } from './plan.ts'
import { reportOf } from './report.ts'
import { type SandboxState, WITHOUT_SANDBOX } from './state.ts'

interface LaunchOptions extends Surroundings {
  secrets: GivenSecret[]
  extraEnv?: readonly ExtraVariable[]
}

interface SandboxOptions extends LaunchOptions {
  findSensitive: FindSensitive
  findRootOnly: () => Mask[]
  program: string
  found: SandboxState & { kind: 'available' }
}

/** Inside bubblewrap. */
export function launchInSandbox(spec: ProcessSpec, mark: Mark, options: SandboxOptions): ReadyLaunch {
  const { secrets, findSensitive, findRootOnly, program, found } = options
  const { plan, ...planned } = planSandbox(spec, options, { findSensitive, findRootOnly, disableUserns: canDisableUserns(found.version) })
  const files = secrets.flatMap(({ use, value }) => ('file' in use.as ? [{ path: use.as.file, value }] : []))
  const argv = bubblewrapArguments({
    ...plan,
    secrets: files.map(({ path }, i) => ({ fd: FIRST_FILE_FD + i, path })),
    argv: argvOf(spec),
  })
  const home = homeIn(options)
  return {
    kind: 'ready',
    // Here bubblewrap tells whether it reached the program; else a sandbox that failed would look like a program that failed.
    argv: [program, '--json-status-fd', '3', ...argv],
    cwd: '/',
    env: environmentFor(spec, mark, options, { home, writable: plan.writable }),
    umask: umaskFor(spec),
    files: files.map(({ value }) => new TextEncoder().encode(value)),
    namespaced: true,
    secrets: secrets.map(({ value }) => value),
    isolation: reportOf(argv, {
      ...planned,
      profile: spec.profile,
      home,
      place: plan.place,
      network: plan.network,
      blank: plan.blank,
      probe: found.probe,
    }),
  }
}

/** On the host, with a filtered environment and a home of its own, because a person said so. */
export function launchOnHost(spec: ProcessSpec, mark: Mark, options: LaunchOptions & { reason: string }): ReadyLaunch | RefusedLaunch {
  const { secrets, state, reason } = options
  if (secrets.some(({ use }) => 'file' in use.as)) {
    return refused('unsupported', 'Without bubblewrap a secret can be given as a variable only: a file would be on the disk. Use env.')
  }
  const home = join(spec.writable.scratch ?? join(state, 'homes', mark.call), 'home')
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const writable = [spec.writable.place, spec.writable.scratch].filter(path => path !== undefined)
  return onHost(spec, {
    env: environmentFor(spec, mark, options, { home, writable }),
    umask: umaskFor(spec),
    secrets: secrets.map(({ value }) => value),
    isolation: hostIsolation({
      planned: spec.profile,
      level: isPlace(spec, options) ? 'worktree' : 'process-group',
      degraded: `${reason} Not isolated.`,
      limitations: WITHOUT_SANDBOX,
    }),
  })
}

/** QED's own git or bubblewrap. It writes into the repository and into places, where others read: hence the open umask. */
export function launchOwnTool(spec: ProcessSpec, mark: Mark, at: Surroundings): ReadyLaunch | RefusedLaunch {
  const base = { PATH: ownPath(at), HOME: at.home, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', TZ: 'UTC' }
  return onHost(spec, {
    env: { ...base, ...spec.env, QED_MARK: mark.value },
    umask: '0022',
    secrets: [],
    isolation: hostIsolation({ planned: spec.profile, degraded: null }),
  })
}

// No program of the work itself is ever taken for one of ours: a dependency may bring a git of its own, and npm puts its folder first.
function ownPath({ env, project, state }: Surroundings): string {
  const work = [project && realPath(project.root), realPath(state)].filter(path => path !== null)
  const isForeign = (folder: string): boolean =>
    !isAbsolute(folder) || folder.endsWith('/node_modules/.bin') || work.some(root => isInside(root, realPath(folder)))
  const folders = (env['PATH'] ?? '').split(':').filter(folder => !isForeign(folder))
  return folders.length > 0 ? folders.join(':') : '/usr/local/bin:/usr/bin:/bin'
}

export function isPlace(spec: ProcessSpec, { state }: Pick<Surroundings, 'state'>): boolean {
  return spec.writable.place !== undefined && isInside(realPath(join(state, 'places')), realPath(spec.writable.place))
}

export function refused(code: string, message: string): RefusedLaunch {
  return { kind: 'refused', error: { code, message }, isolation: null }
}

interface HostLaunch {
  env: Record<string, string>
  umask: ReadyLaunch['umask']
  secrets: string[]
  isolation: IsolationInForce
}

function onHost(spec: ProcessSpec, { env, umask, secrets, isolation }: HostLaunch): ReadyLaunch | RefusedLaunch {
  const [program = '', ...args] = argvOf(spec)
  const found = findProgram(program, { cwd: spec.cwd, path: env['PATH'] ?? '' })
  if (found.kind === 'missing') return refused(found.code, found.message)
  return { kind: 'ready', argv: [found.path, ...args], cwd: spec.cwd, env, umask, files: [], namespaced: false, secrets, isolation }
}

function umaskFor({ writable }: ProcessSpec): ReadyLaunch['umask'] {
  return writable.place === undefined && writable.layer === undefined ? '0077' : '0022'
}

function argvOf({ argv }: ProcessSpec): string[] {
  return Array.isArray(argv) ? argv : shellArgv(argv.shell)
}

function environmentFor(
  spec: ProcessSpec,
  mark: Mark,
  { env, project, extraEnv = [], secrets }: LaunchOptions,
  at: { home: string; writable: string[] },
): Record<string, string> {
  return {
    ...Object.fromEntries(secrets.flatMap(({ use, value }) => ('env' in use.as ? [[use.as.env, value]] : []))),
    ...buildEnvironment({
      own: env,
      home: at.home,
      tmp: '/tmp',
      run: mark.value.split('.')[0] ?? '',
      mark: mark.value,
      scratch: spec.writable.scratch,
      writable: at.writable,
      roots: [project?.root, spec.writable.place].filter(path => path !== undefined),
      extra: [...extraEnv, ...Object.entries(spec.env).map(([name, value]) => ({ name, value }))],
    }),
  }
}
