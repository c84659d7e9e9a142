import { isInside, outermost } from '../paths.ts'
import { matchesAny, parseGlobs } from './glob.ts'

/** One thing in a folder, as the disk has it. Links are not followed. */
export interface FolderEntry {
  name: string
  kind: 'file' | 'folder' | 'link' | 'other'
}

export interface ScopeFacts {
  /** Absolute and real. */
  place: string
  owned: readonly string[]
  /** Relative to the place: stay as they are in any case. */
  protected: readonly string[]
  /** The entries of a folder of the place, given by its path from the place; none where it is not a real folder. */
  list: (folder: string) => FolderEntry[]
}

export interface WritableScope {
  /** Folders bound writable, outermost only, absolute. */
  writable: string[]
  /** What is bound read-only again inside them. */
  readOnly: string[]
  facet: 'owned' | 'directory' | 'place'
}

const MOST_BINDS = 256

/** The folders that own patterns reach, and what inside them is held back. A whole folder is opened because programs write by
 *  renaming, which needs the folder and not the file. */
export function writableScope({ place, owned, protected: kept, list }: ScopeFacts): WritableScope {
  const globs = parseGlobs(owned)
  const folders = outermost(globs.map(glob => glob.literalFolder))
  const whole = owned.includes('**')
  const held: { path: string; folder: boolean }[] = []
  const visit = (folder: string): void => {
    for (const { name, kind } of list(folder)) {
      const path = folder === '' ? name : `${folder}/${name}`
      if (path === '.git') continue
      if (kind === 'folder') {
        if (globs.some(glob => glob.coversAllBelow(path))) continue
        if (globs.some(glob => glob.canMatchBelow(path))) visit(path)
        else held.push({ path, folder: true })
      } else if (kind === 'file' && !matchesAny(globs, path)) held.push({ path, folder: false })
    }
  }
  if (!whole) for (const folder of folders) if (!globs.some(glob => glob.coversAllBelow(folder))) visit(folder)
  // Folders first: where not all can be held back, one bind then holds the most.
  const all = [...held.filter(one => one.folder), ...held.filter(one => !one.folder)]
  const always = ['.git', ...kept].filter(path => folders.some(folder => folder === '' || isInside(folder, path)))
  const absolute = (path: string): string => (path === '' ? place : `${place}/${path}`)
  return {
    writable: folders.map(absolute),
    readOnly: [...new Set([...all.slice(0, MOST_BINDS).map(one => one.path), ...always])].map(absolute),
    facet: whole ? 'place' : all.length > MOST_BINDS ? 'directory' : 'owned',
  }
}
