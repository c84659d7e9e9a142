import { isInside } from '../paths.ts'

/** One sandbox, everything decided and looked up. Paths are absolute and real. */
export interface SandboxPlan {
  network: 'off' | 'host'
  /** Older bubblewraps cannot. */
  disableUserns: boolean
  /** Covered by empty private folders. */
  covered: string[]
  /** Shown again after that, read-only. */
  homeRead: string[]
  project: string | null
  place: string | null
  /** Folders of the person's own QED data that lie inside something shown: covered once more. */
  coveredAgain: string[]
  writable: string[]
  readOnly: string[]
  /** Folders of the prepared layer, shown elsewhere. */
  layers: { from: string; to: string }[]
  /** Git data that is read and not written. */
  gitFolders: string[]
  masks: Mask[]
  /** What masks are made of. */
  blank: { file: string; folder: string }
  /** Files that exist in memory only, read from descriptors. */
  secrets: { fd: number; path: string }[]
  cwd: string
  argv: string[]
}

export interface Mask {
  path: string
  kind: 'file' | 'folder'
}

const NAMESPACES = ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try']
const SESSION = ['--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--hostname', 'qed']
// Bubblewrap leaves /proc/sys open, because the folder itself is not writable; the kernel's settings in it are, for a user 0
// even without any capability, and they are the whole machine's.
const BASE = [...SESSION, '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys']

/** The arguments of bubblewrap. Order is meaning: a later mount wins over an earlier one. */
export function bubblewrapArguments(plan: SandboxPlan): string[] {
  const bind = (option: string, paths: readonly string[]): string[][] => paths.map(path => [option, path, path])
  const shown = [plan.project, plan.place].filter(path => path !== null)
  const binds = [
    ...bind('--ro-bind', plan.homeRead),
    ...bind('--ro-bind', shown),
    ...bind('--bind', plan.writable),
    ...bind('--ro-bind', plan.readOnly),
  ]
  // A place lies inside the person's own data; what contains that data comes before it is covered, what lies in it after.
  const isLate = ([, , to = '']: string[]): boolean => plan.coveredAgain.some(folder => isInside(folder, to))
  return [
    ...NAMESPACES,
    ...(plan.network === 'off' ? ['--unshare-net'] : []),
    ...(plan.disableUserns ? ['--disable-userns'] : []),
    ...BASE,
    ...plan.covered.flatMap(path => ['--tmpfs', path]),
    ...binds.filter(one => !isLate(one)).flat(),
    ...plan.coveredAgain.flatMap(path => ['--tmpfs', path]),
    ...binds.filter(isLate).flat(),
    ...plan.layers.flatMap(({ from, to }) => ['--ro-bind', from, to]),
    ...bind('--ro-bind', plan.gitFolders).flat(),
    ...plan.masks.flatMap(({ path, kind }) => ['--ro-bind', plan.blank[kind], path]),
    ...plan.secrets.flatMap(({ fd, path }) => ['--ro-bind-data', String(fd), path]),
    '--chdir',
    plan.cwd,
    '--',
    ...plan.argv,
  ]
}

export type Mount =
  | { kind: 'bind' | 'ro-bind'; from: string; to: string }
  | { kind: 'tmpfs' | 'dev' | 'proc'; to: string }
  | { kind: 'data'; to: string }

/** What a list of arguments says, read back. */
export interface ReadArguments {
  flags: Set<string>
  mounts: Mount[]
  cwd: string
}

const SHAPES: Record<string, (values: string[]) => Mount> = {
  '--bind': ([from = '', to = '']) => ({ kind: 'bind', from, to }),
  '--ro-bind': ([from = '', to = '']) => ({ kind: 'ro-bind', from, to }),
  '--ro-bind-data': ([, to = '']) => ({ kind: 'data', to }),
  '--tmpfs': ([to = '']) => ({ kind: 'tmpfs', to }),
  '--dev': ([to = '']) => ({ kind: 'dev', to }),
  '--proc': ([to = '']) => ({ kind: 'proc', to }),
}
const TWO_VALUES = new Set(['--bind', '--ro-bind', '--ro-bind-data'])
const ONE_VALUE = new Set(['--tmpfs', '--dev', '--proc', '--cap-drop', '--hostname', '--chdir', '--json-status-fd'])

/** Reads arguments as bubblewrap would, so that a report speaks about what was passed and not about what was meant. */
export function readArguments(argv: readonly string[]): ReadArguments {
  const flags = new Set<string>()
  const mounts: Mount[] = []
  let cwd = '/'
  for (let i = 0; i < argv.length && argv[i] !== '--'; ) {
    const option = argv[i] ?? ''
    const takes = TWO_VALUES.has(option) ? 2 : ONE_VALUE.has(option) ? 1 : 0
    const values = argv.slice(i + 1, i + 1 + takes)
    const mount = SHAPES[option]?.(values)
    if (mount) mounts.push(mount)
    else flags.add([option, ...values].join(' '))
    if (option === '--chdir') cwd = values[0] ?? cwd
    i += 1 + takes
  }
  return { flags, mounts, cwd }
}
