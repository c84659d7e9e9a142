import { closeSync, openSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolder } from '../../store/files.ts'
import { isInside, isPlainFolder, lstatIfThere, makePlainFolder, outermost, realPath } from '../paths.ts'
import type { ProcessSpec } from '../process/types.ts'
import { parseGlobs } from '../scope/glob.ts'
import { type FolderEntry, type WritableScope, writableScope } from '../scope/writable-scope.ts'
import type { Mask, SandboxPlan } from './bubblewrap-arguments.ts'
import { PlaceUnfit } from './errors.ts'
import type { FindSensitive } from './find-sensitive.ts'
import { isRoot, ROOT_HOME } from './root-only.ts'
import { socketWalls } from './sockets.ts'

/** Where QED and the work are on this machine. */
export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>
  home: string
  /** Folders of the person's own QED data and settings: never shown. */
  personal: string[]
  state: string
  project: { root: string; gitFolder: string } | null
  /** Folders of the home that stay readable. */
  homeRead: string[]
  /** The file that says who knows the names of hosts. */
  resolver?: string
}

export interface PlanTools {
  findSensitive: FindSensitive
  /** What of the machine itself is not shown. */
  findRootOnly: () => Mask[]
  disableUserns: boolean
}

export interface Planned {
  plan: SandboxPlan
  scope: WritableScope['facet']
  /** Where the process would look for the repository's data. */
  gitFolder: string | null
  socketFolders: string[]
}

/** Looks at the disk and decides what one process gets to see and write. Makes owned folders that are missing. Throws
 *  `sandbox_failed` where what it is to write cannot be walled off. */
export function planSandbox(spec: ProcessSpec, at: Surroundings, tools: PlanTools): Planned {
  const place = spec.writable.place === undefined ? null : realPath(spec.writable.place)
  const project = at.project && realPath(at.project.root)
  refuseUnfit(spec, { place, project, personal: at.personal.map(realPath) })
  const scope = scopeFor(spec, place)
  const extra = extraFolders(spec)
  const personal = at.personal.map(realPath).filter(isFolder)
  const home = homeIn(at)
  const covered = [
    ...outermost(
      [...['/tmp', '/var/tmp', '/run', ...(isRoot() ? [ROOT_HOME] : [])].map(realPath).filter(isFolder), ...personal].filter(
        path => !isInside(home, path),
      ),
    ),
    home,
  ]
  const needed = [project, place, ...extra, '/usr', '/bin', '/etc'].filter(path => path !== null)
  const sockets = socketWalls(at.env, { covered, needed })
  const git = gitFoldersOf(spec, at, place)
  const network = networkOf(spec)
  const homeRead = [...at.homeRead.map(realPath), ...resolverFile(network, covered, at)].filter(path => lstatIfThere(path) !== undefined)
  const shown = [project, place].filter(path => path !== null)
  const isPersonal = (path: string): boolean => personal.some(folder => isInside(folder, path))
  const opened = [...scope.writable, ...outputFolders(spec, place), ...git.writable, ...extra]
  const writable = [...outermost(opened.filter(path => !isPersonal(path))), ...outermost(opened.filter(isPersonal))]
  const coveredAgain = personal.filter(folder => [...homeRead, ...shown, ...writable].some(root => isInside(root, folder)))
  // What lies below a cover is gone already, unless something was shown there again.
  const isSeen = (path: string): boolean =>
    ![...covered, ...coveredAgain].some(folder => isInside(folder, path)) || [...shown, ...homeRead].some(root => isInside(root, path))
  const blank = blanks(at.state)
  return {
    scope: scope.facet,
    gitFolder: git.found,
    socketFolders: sockets.folders,
    plan: {
      network,
      disableUserns: tools.disableUserns,
      covered: [...covered, ...sockets.folders],
      homeRead,
      project,
      place,
      coveredAgain,
      writable,
      readOnly: scope.readOnly.filter(path => lstatIfThere(path) !== undefined && !git.writable.includes(path)),
      layers: layerMounts(spec, place),
      gitFolders: git.readOnly,
      masks: unique([
        ...[...shown, ...homeRead].flatMap(tools.findSensitive),
        ...tools.findRootOnly(),
        ...shown
          .map(root => realPath(join(root, '.qed')))
          .filter(isFolder)
          .map(asFolder),
        ...git.hidden.map(maskOf),
        ...sockets.masks,
      ]).filter(({ path }) => isSeen(path)),
      blank,
      secrets: [],
      cwd: realPath(spec.cwd),
      argv: [],
    },
  }
}

/** The home as a process has it: always there, always empty. */
export function homeIn({ home }: Pick<Surroundings, 'home'>): string {
  const real = realPath(home)
  // A folder that is not there cannot be covered.
  return isFolder(real) ? real : '/tmp/home'
}

function isProof({ profile }: Pick<ProcessSpec, 'profile'>): boolean {
  return profile === 'proof' || profile === 'gate'
}

function unique(masks: Mask[]): Mask[] {
  return [...new Map(masks.map(mask => [mask.path, mask])).values()]
}

// Where the names of hosts are looked up is often a link into /run, which is covered.
function resolverFile(network: 'off' | 'host', covered: string[], { resolver = '/etc/resolv.conf' }: Surroundings): string[] {
  const real = realPath(resolver)
  return network === 'host' && covered.some(folder => isInside(folder, real)) ? [real] : []
}

function networkOf(spec: ProcessSpec): 'off' | 'host' {
  return spec.profile === 'advisor' || spec.profile === 'dry-run' ? 'off' : (spec.network ?? 'off')
}

const NOTHING: WritableScope = { writable: [], readOnly: [], facet: 'owned' }

function scopeFor({ profile, writable }: ProcessSpec, place: string | null): WritableScope {
  if (place === null) return NOTHING
  if (isProof({ profile })) return { writable: [place], readOnly: [], facet: 'place' }
  if (profile !== 'worker') return NOTHING
  const owned = writable.owned ?? []
  // A folder that is reached through a link is left closed: bubblewrap would follow it and open what it points to.
  for (const { literalFolder } of parseGlobs(owned)) makePlainFolder(place, literalFolder)
  const scope = writableScope({ place, owned, protected: writable.protected ?? [], list: folder => list(place, folder) })
  return { ...scope, writable: scope.writable.filter(path => isPlainFolder(place, path.slice(place.length))) }
}

// Only what the profile is for: an advisor gets no scratch folder, whatever its caller hands in.
function extraFolders({ profile, writable: { scratch, layer } }: ProcessSpec): string[] {
  const wanted = profile === 'worker' || isProof({ profile }) ? scratch : profile === 'prepare' ? layer : undefined
  return wanted === undefined ? [] : [realPath(wanted)]
}

function refuseUnfit(
  { profile, writable, layers = [] }: ProcessSpec,
  at: { place: string | null; project: string | null; personal: string[] },
): void {
  const { place, project, personal } = at
  const patterns = [...(writable.owned ?? []), ...(writable.outputs ?? []), ...(writable.protected ?? []), ...layers.map(({ to }) => to)]
  const leaving = patterns.find(pattern => pattern.split('/').includes('..'))
  if (leaving !== undefined)
    throw new PlaceUnfit(`${leaving} leads out of the place. Name what is written from the place on, without “..”.`)
  if (!isProof({ profile })) return
  if (place === null) throw new PlaceUnfit('A proof needs a place of its own.')
  const holds = [project, '/usr', ...personal].filter(path => path !== null).find(path => isInside(place, path))
  if (holds !== undefined || (project !== null && isInside(project, place)))
    throw new PlaceUnfit(`${place} is no proof place: it must lie outside the project and hold nothing but the tree that is proven.`)
}

function outputFolders({ profile, writable }: ProcessSpec, place: string | null): string[] {
  if (place === null || profile !== 'worker') return []
  return (writable.outputs ?? []).filter(folder => makePlainFolder(place, folder)).map(folder => join(place, folder))
}

function layerMounts({ layers = [] }: ProcessSpec, place: string | null): SandboxPlan['layers'] {
  if (place === null) return []
  return layers.map(({ from, to }) => {
    if (!makePlainFolder(place, to)) throw new PlaceUnfit(`The prepared layer has no room at ${to}: something else is in its way.`)
    return { from: realPath(from), to: join(place, to) }
  })
}

interface GitFolders {
  /** Where the process would look first. */
  found: string | null
  writable: string[]
  readOnly: string[]
  hidden: string[]
}

// A place may have git data of its own, which shares the project's objects: then both are needed, and only the own may be written.
function gitFoldersOf({ profile, writable }: ProcessSpec, at: Surroundings, place: string | null): GitFolders {
  const shared = at.project && realPath(at.project.gitFolder)
  const inside = place !== null && isFolder(join(place, '.git')) ? join(place, '.git') : null
  const own = inside === shared ? null : inside
  const all = [shared, own].filter(path => path !== null && lstatIfThere(path) !== undefined) as string[]
  if (profile === 'prepare') return { found: own ?? shared, writable: [], readOnly: [], hidden: all }
  const mayWrite = own !== null && (isProof({ profile }) || writable.commits === true)
  return {
    found: own ?? shared,
    writable: mayWrite ? [own] : [],
    readOnly: all.filter(path => !(mayWrite && path === own)),
    hidden: [],
  }
}

function list(place: string, folder: string): FolderEntry[] {
  if (!isPlainFolder(place, folder)) return []
  return readdirSync(join(place, folder), { withFileTypes: true }).map(entry => ({
    name: entry.name,
    kind: entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : entry.isSymbolicLink() ? 'link' : 'other',
  }))
}

/** An empty file and an empty folder to put in the place of others. */
function blanks(state: string): { file: string; folder: string } {
  const blank = { file: join(state, 'sandbox', 'blank'), folder: join(state, 'sandbox', 'blank.d') }
  if (!isFolder(blank.folder)) makeFolder(blank.folder, { private: true })
  if (!lstatIfThere(blank.file)) closeSync(openSync(blank.file, 'a', 0o444))
  return blank
}

function maskOf(path: string): Mask {
  return { path, kind: isFolder(path) ? 'folder' : 'file' }
}

function asFolder(path: string): Mask {
  return { path, kind: 'folder' }
}

function isFolder(path: string): boolean {
  return lstatIfThere(path)?.isDirectory() ?? false
}

/** The tool folders of the home that are on the PATH, each with the libraries that stand beside it. */
export function toolFolders(home: string, path: string): string[] {
  const folders = path.split(':').filter(folder => isInside(home, folder) && folder !== home)
  const beside = folders
    .filter(folder => dirname(folder) !== home)
    .flatMap(folder => ['lib', 'libexec'].map(name => join(dirname(folder), name)))
  return [...new Set([...folders, ...beside])].filter(isFolder)
}
