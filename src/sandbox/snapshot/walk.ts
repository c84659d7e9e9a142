import { type BigIntStats, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { isLocalName } from '../../project/local-names.ts'
import { isErrno } from '../../store/files.ts'
import { breather } from '../breathe.ts'
import { type Base, isTracked } from '../git/base.ts'
import { type FolderItem, itemsIn, onDisk } from '../names.ts'
import { type Glob, matchesAny } from '../scope/glob.ts'
import { fileGlobs, folderGlobs } from '../scope/outputs.ts'

export interface PlaceFile {
  path: string
  kind: 'file' | 'link' | 'other'
  /** Permission bits. */
  mode: number
  size: number
  /** Names that it has. */
  links: number
  /** Changes whenever the content can have changed. */
  stamp: string
  /** Changed so lately that a further change might leave the stamp as it is. */
  fresh: boolean
}

export interface Walked {
  files: PlaceFile[]
  emptyFolders: string[]
  /** Output and dependencies that git ignores. */
  skipped: string[]
  /** Folders that may not be looked into. */
  closed: string[]
}

export interface WalkOptions {
  /** Patterns of output and dependencies. */
  skip: readonly string[]
  /** Which of these paths git ignores, being nowhere in the base. */
  ignored: (paths: string[]) => Promise<Set<string>>
  /** Also what QED keeps in the project for this machine alone. */
  withRecords?: boolean
  signal?: AbortSignal | undefined
}

/** Two changes within one tick of the kernel's clock cannot be told apart. */
const TICK_NS = 20_000_000n

/** Everything in a folder but git's own data at its top, and output that git ignores. Links are not followed. */
export async function walk(root: string, { skip, ignored, withRecords = false, signal }: WalkOptions): Promise<Walked> {
  const found: Walked = { files: [], emptyFolders: [], skipped: [], closed: [] }
  const globs = skipGlobs(skip)
  const now = nowNs()
  let open: string[] = ['']
  while (open.length > 0) {
    const candidates: Candidate[] = []
    for (const folder of open) await visit(root, folder, { found, globs, now, candidates, withRecords, signal })
    const gone = await ignored(candidates.map(({ path }) => path))
    found.skipped.push(...gone)
    const kept = candidates.filter(({ path }) => !gone.has(path))
    found.files.push(
      ...kept
        .filter(({ folder }) => !folder)
        .map(({ path }) => fileAt(root, path, now))
        .filter(file => file !== null),
    )
    open = kept.filter(({ folder }) => folder).map(({ path }) => path)
  }
  return found
}

interface Candidate {
  path: string
  folder: boolean
}

interface Visit {
  found: Walked
  globs: SkipGlobs
  now: bigint
  /** What `skip` names: whether it is left out is for git to say. */
  candidates: Candidate[]
  withRecords: boolean
  signal: AbortSignal | undefined
}

/** Takes in a folder and all below it, but for candidates of `skip`. */
async function visit(root: string, folder: string, { found, globs, now, candidates, withRecords, signal }: Visit): Promise<void> {
  const open = [folder]
  const breathe = breather(signal)
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const items = itemsOrNone(root, at, found)
    if (items.length === 0 && at !== '' && found.closed.at(-1) !== at) found.emptyFolders.push(at)
    for (const { name, kind } of items) {
      if (isGitData(at, name) || (!withRecords && isRecord(at, name))) continue
      const path = at === '' ? name : `${at}/${name}`
      const isFolder = kind === 'folder'
      if (matchesAny(isFolder ? globs.folders : globs.files, path)) candidates.push({ path, folder: isFolder })
      else if (isFolder) open.push(path)
      else {
        const file = fileAt(root, path, now)
        if (file) found.files.push(file)
      }
    }
    await breathe()
  }
}

function isGitData(folder: string, name: string): boolean {
  return folder === '' && name === '.git'
}

/** What QED itself keeps in a project: no saved state may bring it back. */
function isRecord(folder: string, name: string): boolean {
  return folder === '.qed' && isLocalName(name)
}

export interface SkipGlobs {
  folders: Glob[]
  files: Glob[]
}

export function skipGlobs(skip: readonly string[]): SkipGlobs {
  return { folders: folderGlobs(skip), files: fileGlobs(skip) }
}

/** Whether a look at all folders would meet this path without asking git about it or a folder above it. */
export function isPlainlySeen(path: string, globs: SkipGlobs, base: Base): boolean {
  const parts = path.split('/')
  if (parts[0] === '.git' || isRecord(parts[0] ?? '', parts[1] ?? '')) return false
  const folders = parts.slice(0, -1).map((_, i) => parts.slice(0, i + 1).join('/'))
  const mayBeSkipped = (at: string, names: Glob[]): boolean => matchesAny(names, at) && !isTracked(base, at)
  return !mayBeSkipped(path, globs.files) && !folders.some(folder => mayBeSkipped(folder, globs.folders))
}

// Gone since it was listed: then there is nothing in it. Closed: then nobody knows, and it is told.
function itemsOrNone(root: string, folder: string, { closed }: Walked): FolderItem[] {
  try {
    return itemsIn(join(root, folder))
  } catch (error) {
    if (folder !== '' && isErrno(error, 'EACCES', 'EPERM')) closed.push(folder)
    else if (folder === '' || !isErrno(error, 'ENOENT', 'ENOTDIR')) throw error
    return []
  }
}

function nowNs(): bigint {
  return BigInt(Date.now()) * 1_000_000n
}

/** What is at a path; null where nothing is, or a folder. */
export function fileAt(root: string, path: string, now = nowNs()): PlaceFile | null {
  const stat = lstatSync(onDisk(join(root, path)), { bigint: true, throwIfNoEntry: false })
  return stat && !stat.isDirectory() ? fileOf(path, stat, now) : null
}

function fileOf(path: string, stat: BigIntStats, now: bigint): PlaceFile {
  const kind = stat.isFile() ? 'file' : stat.isSymbolicLink() ? 'link' : 'other'
  return {
    path,
    kind,
    mode: Number(stat.mode & 0o7777n),
    links: Number(stat.nlink),
    size: Number(stat.size),
    stamp: [stat.ctimeNs, stat.mtimeNs, stat.ino, stat.size].join('-'),
    fresh: now - stat.ctimeNs < TICK_NS,
  }
}
