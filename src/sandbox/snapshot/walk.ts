import { type BigIntStats, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { isErrno } from '../../store/files.ts'
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
}

/** Two changes within one tick of the kernel's clock cannot be told apart. */
const TICK_NS = 20_000_000n

/** Everything in a folder but git's own data at its top, and output that git ignores. Links are not followed. */
export async function walk(root: string, { skip, ignored }: WalkOptions): Promise<Walked> {
  const found: Walked = { files: [], emptyFolders: [], skipped: [], closed: [] }
  const globs = { folders: folderGlobs(skip), files: fileGlobs(skip) }
  const now = BigInt(Date.now()) * 1_000_000n
  let open: string[] = ['']
  while (open.length > 0) {
    const candidates = open.flatMap(folder => visit(root, folder, { found, globs, now }))
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

interface Visit {
  found: Walked
  globs: { folders: Glob[]; files: Glob[] }
  now: bigint
}

/** Takes in a folder and all below it, but for candidates of `skip`, which it gives back. */
function visit(root: string, folder: string, { found, globs, now }: Visit): { path: string; folder: boolean }[] {
  const candidates: { path: string; folder: boolean }[] = []
  const open = [folder]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const entries = itemsOrNone(root, at, found).filter(({ name }) => at !== '' || name !== '.git')
    if (entries.length === 0 && at !== '' && found.closed.at(-1) !== at) found.emptyFolders.push(at)
    for (const entry of entries) {
      const path = at === '' ? entry.name : `${at}/${entry.name}`
      if (entry.kind === 'folder') {
        if (matchesAny(globs.folders, path)) candidates.push({ path, folder: true })
        else open.push(path)
      } else if (matchesAny(globs.files, path)) candidates.push({ path, folder: false })
      else {
        const file = fileAt(root, path, now)
        if (file) found.files.push(file)
      }
    }
  }
  return candidates
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

function fileAt(root: string, path: string, now: bigint): PlaceFile | null {
  const stat = lstatSync(onDisk(join(root, path)), { bigint: true, throwIfNoEntry: false })
  return stat ? fileOf(path, stat, now) : null
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
