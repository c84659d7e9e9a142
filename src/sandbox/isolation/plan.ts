import { closeSync, openSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolder } from '../../store/files.ts'
import { isInside, isPlainFolder, lstatIfThere, makePlainFolder, outermost, realPath } from '../paths.ts'
import type { ProcessSpec } from '../process/types.ts'
import { parseGlobs } from '../scope/glob.ts'
import { type FolderEntry, type WritableScope, writableScope } from '../scope/writable-scope.ts'
import type { Mask, SandboxPlan } from './bubblewrap-arguments.ts'
import type { FindSensitive } from './find-sensitive.ts'
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
}

export interface Planned {
  plan: SandboxPlan
  scope: WritableScope['facet']
  /** Where the process would look for the repository's data. */
  gitFolder: string | null
  socketFolders: string[]
}

/** Looks at the disk and decides what one process gets to see and write. Makes owned folders that are missing. */
export function planSandbox(spec: ProcessSpec, at: Surroundings, tools: { findSensitive: FindSensitive; disableUserns: boolean }): Planned {
  const place = spec.writable.place === undefined ? null : realPath(spec.writable.place)
  const project = at.project && realPath(at.project.root)
  const scope = scopeFor(spec, place)
  const extra = [spec.writable.scratch, spec.writable.layer].filter(path => path !== undefined).map(realPath)
  const covered = outermost(['/tmp', '/var/tmp', '/run', at.home, ...at.personal].map(realPath).filter(isFolder))
  const needed = [project, place, ...extra, '/usr', '/bin', '/etc'].filter(path => path !== null)
  const sockets = socketWalls(at.env, { covered, needed })
  const gitFolder = gitFolderOf(spec, at, place)
  const cutOff = spec.profile === 'prepare' && gitFolder !== null
  const commits = spec.writable.commits === true && gitFolder !== null && place !== null && isInside(place, gitFolder)
  const homeRead = at.homeRead.map(realPath).filter(path => lstatIfThere(path) !== undefined)
  const shown = [project, place].filter(path => path !== null)
  return {
    scope: scope.facet,
    gitFolder,
    socketFolders: sockets.folders,
    plan: {
      network: networkOf(spec),
      disableUserns: tools.disableUserns,
      covered: [...covered, ...sockets.folders],
      homeRead,
      project,
      place,
      writable: [...scope.writable, ...outputFolders(spec, place), ...(commits ? [gitFolder] : []), ...extra],
      readOnly: scope.readOnly.filter(path => lstatIfThere(path) !== undefined && !(commits && path === gitFolder)),
      gitFolder: cutOff || commits || isProof(spec) ? null : gitFolder,
      masks: unique([
        ...[...shown, ...homeRead].flatMap(tools.findSensitive),
        ...shown
          .map(root => join(root, '.qed'))
          .filter(isFolder)
          .map(asFolder),
        ...(cutOff ? [maskOf(gitFolder)] : []),
        ...sockets.masks,
      ]),
      blank: blanks(at.state),
      secrets: [],
      cwd: realPath(spec.cwd),
      argv: [],
    },
  }
}

function isProof({ profile }: Pick<ProcessSpec, 'profile'>): boolean {
  return profile === 'proof' || profile === 'gate'
}

function unique(masks: Mask[]): Mask[] {
  return [...new Map(masks.map(mask => [mask.path, mask])).values()]
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

function outputFolders({ profile, writable }: ProcessSpec, place: string | null): string[] {
  if (place === null || profile !== 'worker') return []
  return (writable.outputs ?? []).filter(folder => makePlainFolder(place, folder)).map(folder => join(place, folder))
}

// The place's own pointer or folder, where it has one; else the project's.
function gitFolderOf({ profile }: ProcessSpec, at: Surroundings, place: string | null): string | null {
  const own = place === null ? null : join(place, '.git')
  const isOwn = own !== null && (lstatIfThere(own)?.isDirectory() ?? false)
  if (isOwn || isProof({ profile })) return own
  return at.project && realPath(at.project.gitFolder)
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
