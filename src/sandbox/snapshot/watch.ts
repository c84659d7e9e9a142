// A folder that is looked at again and again. It is held as it was at the last look, so that the next one reads only what has
// another stamp since, and saving it writes only what is new.
import { join } from 'node:path'
import type { Base } from '../git/base.ts'
import type { TreeEntry } from '../git/tree.ts'
import { itemsIn } from '../names.ts'
import type { Objects } from '../objects/objects.ts'
import { isPlainFolder, lstatIfThere } from '../paths.ts'
import { type Change, changesBetween } from './changes.ts'
import { type LeftOut, oddMode } from './select.ts'
import type { TreeTaker } from './take-tree.ts'
import { fileAt, isPlainlySeen, type PlaceFile, type SkipGlobs, type Walked } from './walk.ts'

/** A folder as it was at the last look that was taken. */
export interface Held {
  files: Map<string, PlaceFile>
  entries: Map<string, TreeEntry>
  leftOut: Map<string, LeftOut>
  /** Left out, and not even to be named. */
  unnamed: Set<string>
  emptyFolders: Set<string>
  /** Permissions that git cannot hold, in octal. */
  modes: Map<string, string>
  /** Sizes of what the base does not hold. */
  added: Map<string, number>
}

/** What a look found to be otherwise than it is held. */
export interface Seen {
  changes: Change[]
  /** What is there and would not be saved, and was not so before. */
  leftOut: LeftOut[]
  emptyFolders: string[]
  /** Holds it from now on. */
  take: () => void
}

export interface Watch {
  readonly held: Readonly<Held>
  /** Looks at everything, or at these paths only, by their way from the root. What is new is in the repository by then. */
  look: (paths?: readonly string[]) => Promise<Seen>
  /** The name of what is held, as a tree of the repository. */
  store: () => Promise<string>
  /** Whether a path is held otherwise than it was at the first look. */
  isOther: (path: string) => boolean
}

interface WatchOptions {
  root: string
  base: Base
  taker: TreeTaker
  objects: Objects
  globs: SkipGlobs
  layer: readonly string[]
  signal?: AbortSignal | undefined
}

/** What a look looked at: null where nothing is. */
interface Looked {
  files: Map<string, PlaceFile | null>
  emptyFolders: Set<string>
  closed: string[]
}

export async function watchFolder({ root, base, taker, objects, globs, layer, signal }: WatchOptions): Promise<Watch> {
  const tree = objects.tree(base.trees)
  /** What was at a path at the first look, where it has changed since. */
  const first = new Map<string, TreeEntry | undefined>()
  const held: Held = {
    files: new Map(),
    entries: new Map(),
    leftOut: new Map(),
    unnamed: new Set(),
    emptyFolders: new Set(),
    modes: new Map(),
    added: new Map(),
  }
  const lookAround = async (): Promise<Looked> => lookedAround(held, await taker.walk(root, base, { layer, signal }))
  const look: Watch['look'] = async paths => {
    const near = paths?.every(path => isPlainlySeen(path, globs, base) && isSeenAlone(held, root, path))
      ? lookedAt(held, root, paths)
      : null
    const looked = near ?? (await lookAround())
    const present = [...looked.files.values()].filter(file => file !== null)
    const judged = await taker.judge(present, { root, base, store: true, signal, spent: bytesBeside(held.added, looked.files) })
    // Small files go first where the room is short, so that all must be judged together.
    if (isShort(held.leftOut.values()) || isShort(judged.leftOut)) return judgedWhole()
    const shut = looked.closed.map((path): LeftOut => ({ path, size: 0, reason: 'unreadable' }))
    return seenIn(looked, { ...judged, leftOut: [...shut, ...judged.leftOut] })
  }
  const judgedWhole = async (): Promise<Seen> => {
    const walked = await taker.walk(root, base, { layer, signal })
    const looked = lookedAround(held, walked)
    for (const file of walked.files) looked.files.set(file.path, file)
    return seenIn(looked, await taker.judge(walked.files, { root, base, store: true, signal }))
  }
  const seenIn = (
    { files, emptyFolders }: Looked,
    { entries, leftOut, unnamed }: { entries: Map<string, TreeEntry>; leftOut: LeftOut[]; unnamed: Set<string> },
  ): Seen => {
    const out = new Map(leftOut.map(one => [one.path, one]))
    const before = new Map([...files.keys()].flatMap(path => withMode(held.entries.get(path), held.files.get(path))))
    const now = new Map([...entries.values()].flatMap(entry => withMode(entry, files.get(entry.path))))
    return {
      changes: changesBetween(before, now),
      leftOut: leftOut.filter(({ path }) => !held.leftOut.has(path)),
      emptyFolders: [...emptyFolders].filter(path => !held.emptyFolders.has(path)),
      take: () => {
        for (const [path, file] of files) {
          const entry = entries.get(path)
          const odd = file && entry ? oddMode(file) : null
          const before = held.entries.get(path)
          if (!isSame(entry, before)) {
            tree.set(path, entry ?? null)
            if (!first.has(path)) first.set(path, before)
          }
          put(held.files, path, file)
          put(held.entries, path, entry)
          put(held.modes, path, odd)
          put(held.added, path, entry && entry.oid !== base.entries.get(path)?.oid ? file?.size : null)
          put(held.leftOut, path, out.get(path))
          held.unnamed.delete(path)
        }
        // Folders that are closed have no files.
        for (const [path, one] of out) held.leftOut.set(path, one)
        for (const path of unnamed) held.unnamed.add(path)
        held.emptyFolders = emptyFolders
      },
    }
  }
  ;(await look()).take()
  first.clear()
  return { held, look, store: () => tree.store(), isOther: path => first.has(path) && !isSame(first.get(path), held.entries.get(path)) }
}

/** All that has another stamp than it is held with, and all that is gone. */
function lookedAround(held: Held, { files, emptyFolders, closed }: Walked): Looked {
  const found = new Set(files.map(({ path }) => path))
  const looked = new Map<string, PlaceFile | null>()
  for (const path of held.files.keys()) if (!found.has(path)) looked.set(path, null)
  for (const [path, { reason }] of held.leftOut) if (reason === 'unreadable' && !found.has(path)) looked.set(path, null)
  for (const file of files) {
    const before = held.files.get(file.path)
    if (!before || before.stamp !== file.stamp || before.fresh || before.mode !== file.mode) looked.set(file.path, file)
  }
  return { files: looked, emptyFolders: new Set(emptyFolders), closed }
}

function lookedAt(held: Held, root: string, paths: readonly string[]): Looked {
  const files = new Map(paths.map(path => [path, isPlainFolder(root, folderOf(path)) ? fileAt(root, path) : null]))
  const emptyFolders = new Set(held.emptyFolders)
  for (const [path, file] of files) {
    for (let at = folderOf(path); at !== ''; at = folderOf(at)) {
      if (file) emptyFolders.delete(at)
      else if (isPlainFolder(root, at)) {
        if (itemsIn(join(root, at)).length === 0) emptyFolders.add(at)
        break
      } else emptyFolders.delete(at)
    }
  }
  return { files, emptyFolders, closed: [] }
}

/** Whether a look at a path alone finds what a look at everything would: it is and was a file or nothing, and decides about no
 *  other one. */
function isSeenAlone({ files, emptyFolders }: Held, root: string, path: string): boolean {
  if (path.endsWith('.gitignore')) return false
  const found = lstatIfThere(join(root, path))
  // Behind a link it is another file.
  if (found) return !found.isDirectory() && isPlainFolder(root, folderOf(path))
  if (files.has(path)) return true
  for (const known of [files.keys(), emptyFolders]) {
    for (const one of known) if (one === path || one.startsWith(`${path}/`)) return false
  }
  return true
}

function bytesBeside(sizes: ReadonlyMap<string, number>, beside: ReadonlyMap<string, unknown>): number {
  let bytes = 0
  for (const [path, size] of sizes) if (!beside.has(path)) bytes += size
  return bytes
}

function isShort(leftOut: Iterable<LeftOut>): boolean {
  for (const { reason } of leftOut) if (reason === 'over-total') return true
  return false
}

function withMode(entry: TreeEntry | undefined, file: PlaceFile | null | undefined): [string, TreeEntry][] {
  if (!entry) return []
  return [[entry.path, file?.kind === 'file' ? { ...entry, mode: `100${file.mode.toString(8).padStart(3, '0')}` } : entry]]
}

function isSame(one: TreeEntry | undefined, other: TreeEntry | undefined): boolean {
  return one?.oid === other?.oid && one?.mode === other?.mode
}

function put<T>(map: Map<string, T>, path: string, value: T | null | undefined): void {
  if (value === null || value === undefined) map.delete(path)
  else map.set(path, value)
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}
