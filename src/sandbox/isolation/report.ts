import type { IsolationFacets, IsolationInForce } from '../../kernel/isolation.ts'
import { isInside } from '../paths.ts'
import type { Profile } from '../process/types.ts'
import { type Mount, type ReadArguments, readArguments } from './bubblewrap-arguments.ts'
import { HOST_FACETS } from './host.ts'

export type CheckResult = 'pass' | 'fail' | 'skipped'

/** What the last probe of this machine found. */
export interface ProbeResult {
  at: string
  /** Name and version of the sandbox. */
  tool: string
  checks: Record<string, CheckResult>
}

export interface ReportFacts {
  profile: Profile
  home: string
  place: string | null
  /** Where the repository's data is, as the process would look for it. */
  gitFolder: string | null
  /** Folders in which sockets of the person's session live. */
  socketFolders: string[]
  /** How exactly the owned scope could be drawn. */
  scope: 'owned' | 'directory' | 'place'
  network: 'off' | 'host'
  /** What stands in the place of what is hidden. */
  blank: { file: string; folder: string }
  probe: ProbeResult
}

const STRENGTH: { [F in keyof IsolationFacets]: readonly IsolationFacets[F][] } = {
  scope: ['host', 'place', 'directory', 'owned'],
  tmp: ['host', 'private'],
  home: ['host', 'masked'],
  git: ['host', 'private', 'read-only', 'absent'],
  sockets: ['host', 'masked'],
  userns: ['allowed', 'disabled'],
}

/** What a profile asks for where it does not say otherwise. */
const STRICT: IsolationFacets = { scope: 'owned', tmp: 'private', home: 'masked', git: 'read-only', sockets: 'masked', userns: 'disabled' }
const WISHES: Record<Profile, IsolationFacets> = {
  worker: STRICT,
  proof: { ...STRICT, scope: 'place', git: 'private' },
  gate: { ...STRICT, scope: 'place', git: 'private' },
  prepare: { ...STRICT, git: 'absent' },
  advisor: STRICT,
  'dry-run': STRICT,
  own: HOST_FACETS,
}

/** What the walls that stand do not hold, in words. */
const LIMITATIONS: { when: (at: { facets: IsolationFacets; network: 'off' | 'host' }) => boolean; says: string }[] = [
  { when: ({ network }) => network === 'host', says: 'the network is the host’s: which hosts are reached is held by policy alone' },
  { when: ({ facets }) => facets.scope === 'directory', says: 'files beside the owned ones can be written: they are put back afterwards' },
  { when: ({ facets }) => facets.userns === 'allowed', says: 'programs can make further user namespaces' },
]

/** The report of a sandboxed process, from the arguments that bubblewrap really got. */
export function reportOf(argv: readonly string[], facts: ReportFacts): IsolationInForce {
  const read = readArguments(argv)
  const facets = facetsOf(read, facts)
  const network = read.flags.has('--unshare-net') ? 'off' : 'host'
  const blank = read.mounts.filter(mount => isMask(mount, facts))
  return {
    level: 'bubblewrap',
    planned: facts.profile,
    filesystem: read.mounts.some(mount => mount.kind === 'ro-bind' && mount.to === '/') ? 'read-only-root' : 'host',
    writable: [...read.mounts.filter(mount => mount.kind === 'bind').map(mount => mount.to), '/tmp'],
    hidden: [...read.mounts.filter(mount => mount.kind === 'tmpfs'), ...blank].map(mount => mount.to),
    network,
    pid_namespace: read.flags.has('--unshare-pid'),
    environment: 'filtered',
    facets,
    probe: facts.probe,
    degraded: weakness(facets, facts, network),
    limitations: LIMITATIONS.filter(({ when }) => when({ facets, network })).map(({ says }) => says),
  }
}

function facetsOf(read: ReadArguments, facts: ReportFacts): IsolationFacets {
  const isEmpty = (path: string): boolean => ['tmpfs', 'none'].includes(mountAt(read.mounts, path)?.kind ?? 'none')
  const sockets = ['/run', '/tmp', facts.home, ...facts.socketFolders].every(isEmpty) && read.flags.has('--unshare-net')
  return {
    scope: scopeOf(read.mounts, facts),
    tmp: isEmpty('/tmp') ? 'private' : 'host',
    home: isEmpty(facts.home) ? 'masked' : 'host',
    git: gitOf(read.mounts, facts),
    sockets: sockets ? 'masked' : 'host',
    userns: read.flags.has('--disable-userns') && facts.probe.checks['userns'] !== 'fail' ? 'disabled' : 'allowed',
  }
}

function scopeOf(mounts: Mount[], { scope }: ReportFacts): IsolationFacets['scope'] {
  return mounts.some(mount => mount.kind === 'bind' && mount.to === '/') ? 'host' : scope
}

function gitOf(mounts: Mount[], { gitFolder, place, blank }: ReportFacts): IsolationFacets['git'] {
  if (gitFolder === null) return 'absent'
  const mount = mountAt(mounts, gitFolder)
  if (mount === undefined || mount.kind === 'tmpfs' || isMask(mount, { blank })) return 'absent'
  if (mount.kind === 'ro-bind') return 'read-only'
  return place !== null && isInside(place, gitFolder) ? 'private' : 'host'
}

function mountAt(mounts: Mount[], path: string): Mount | undefined {
  return mounts.findLast(mount => isInside(mount.to, path))
}

function isMask(mount: Mount, { blank }: Pick<ReportFacts, 'blank'>): boolean {
  return mount.kind === 'ro-bind' && (mount.from === blank.file || mount.from === blank.folder)
}

function weakness(facets: IsolationFacets, { profile, scope, network: wanted }: ReportFacts, network: 'off' | 'host'): string | null {
  const wish: IsolationFacets = {
    ...WISHES[profile],
    // Who owns everything has nothing held back from them.
    ...(scope === 'place' && { scope }),
    // On the host's network abstract sockets can be reached; whoever was given the one has the other.
    ...(wanted === 'host' && { sockets: 'host' as const }),
  }
  const weak = (Object.keys(wish) as (keyof IsolationFacets)[])
    .filter(name => rank(name, facets) < rank(name, wish))
    .map(name => `${name}: ${facets[name]}`)
  if (wanted === 'off' && network === 'host') weak.push('network: host')
  return weak.length === 0 ? null : weak.join(', ')
}

function rank(name: keyof IsolationFacets, facets: IsolationFacets): number {
  return (STRENGTH[name] as readonly string[]).indexOf(facets[name])
}
