import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { outermost } from '../paths.ts'
import type { Mask } from './bubblewrap-arguments.ts'
import type { IsSensitive } from './sensitive.ts'

interface Looked {
  changed: number
  folders: string[]
  hits: string[]
}

/** Sensitive files below a folder, as masks. */
export type FindSensitive = (root: string) => Mask[]

// Not looked into: git's own data has its own wall, and packages bring keys for their tests that are nobody's secret.
const SKIPPED = new Set(['.git', 'node_modules'])
/** Each mask is a mount; so many cost about a quarter of a second. */
const MOST_MASKS = 256

/** Remembers what each folder held: only folders that changed since are read again, so that a command does not wait for it. */
export function createFindSensitive(isSensitive: IsSensitive): FindSensitive {
  const known = new Map<string, Looked>()
  const look = (folder: string): Looked => {
    const changed = changeTime(folder)
    const before = known.get(folder)
    if (before?.changed === changed) return before
    const looked: Looked = { changed, folders: [], hits: [] }
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) looked.folders.push(...(SKIPPED.has(entry.name) ? [] : [path]))
      else if (entry.isFile() && isSensitive(path)) looked.hits.push(path)
    }
    known.set(folder, looked)
    return looked
  }
  return root => {
    const hits: string[] = []
    const open = [root]
    for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
      const looked = look(folder)
      hits.push(...looked.hits)
      open.push(...looked.folders)
    }
    return fewEnough(hits)
  }
}

// Too many single files: their folders are covered whole, which hides more than asked for and never less.
function fewEnough(hits: string[]): Mask[] {
  const files = hits.sort().map(path => ({ path, kind: 'file' as const }))
  if (files.length <= MOST_MASKS) return files
  return outermost(hits.map(path => join(path, '..'))).map(path => ({ path, kind: 'folder' as const }))
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
