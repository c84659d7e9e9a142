import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { lstatIfThere, outermost, realPath } from '../paths.ts'
import type { Mask } from './bubblewrap-arguments.ts'

interface Looked {
  changed: number
  folders: string[]
  hits: Mask[]
}

/** What below a folder must not be seen, as masks. */
export type FindSensitive = (root: string) => Mask[]

export interface Sought {
  file: (path: string) => boolean
  /** By its own name; as a file where it is not given. */
  link?: (path: string) => boolean
  /** Folders that are hidden whole. */
  folder?: (path: string) => boolean
}

// Not looked into: git's own data has its own wall, and packages bring keys for their tests that are nobody's secret.
const SKIPPED = new Set(['.git', 'node_modules'])
/** Each mask is a mount; so many cost about a quarter of a second. */
const MOST_MASKS = 256

/** Remembers what each folder held: only folders that changed since are read again, so that a command does not wait for it. */
export function createFindSensitive({ file, link = file, folder = () => false }: Sought): FindSensitive {
  const known = new Map<string, Looked>()
  const look = (at: string): Looked => {
    const changed = changeTime(at)
    const before = known.get(at)
    if (before?.changed === changed) return before
    const looked: Looked = { changed, folders: [], hits: [] }
    for (const entry of entriesOf(at)) {
      const path = join(at, entry.name)
      if (entry.isDirectory()) {
        if (folder(path)) looked.hits.push({ path, kind: 'folder' })
        else if (!SKIPPED.has(entry.name)) looked.folders.push(path)
      } else if (entry.isFile() && file(path)) looked.hits.push({ path, kind: 'file' })
      else if (entry.isSymbolicLink() && link(path)) looked.hits.push(...behind(path))
    }
    known.set(at, looked)
    return looked
  }
  return root => {
    const hits: Mask[] = []
    const open = [root]
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const looked = look(at)
      hits.push(...looked.hits)
      open.push(...looked.folders)
    }
    return fewEnough(hits)
  }
}

// A link cannot be covered; where it leads can.
function behind(link: string): Mask[] {
  const path = realPath(link)
  const found = path === link ? undefined : lstatIfThere(path)
  if (found?.isFile()) return [{ path, kind: 'file' }]
  return found?.isDirectory() ? [{ path, kind: 'folder' }] : []
}

// Too many single files: their folders are covered whole, which hides more than asked for and never less.
function fewEnough(hits: Mask[]): Mask[] {
  if (hits.length <= MOST_MASKS) return hits.sort((a, b) => (a.path < b.path ? -1 : 1))
  return outermost(hits.map(({ path, kind }) => (kind === 'folder' ? path : join(path, '..')))).map(path => ({ path, kind: 'folder' }))
}

function changeTime(folder: string): number {
  const stat = statSync(folder, { throwIfNoEntry: false })
  return stat ? stat.mtimeMs + stat.ctimeMs : -1
}

function entriesOf(folder: string): ReturnType<typeof readEntries> {
  try {
    return readEntries(folder)
  } catch {
    // What QED cannot read, a process with the same rights or fewer cannot read either.
    return []
  }
}

function readEntries(folder: string) {
  return readdirSync(folder, { withFileTypes: true })
}
