import { closeSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Git } from '../git/git.ts'
import { readTree, type TreeEntry } from '../git/tree.ts'
import type { IsSensitive } from '../isolation/sensitive.ts'
import { encodeNames, onDisk } from '../names.ts'
import { foldersOf } from '../paths.ts'
import { type HashOptions, hashFiles } from './hash-files.ts'
import { openPlain } from './inside.ts'
import { gitMode, type LeftOut, type SnapshotLimits, selectFiles } from './select.ts'
import { type PlaceFile, walk } from './walk.ts'

export interface TreeTakerOptions {
  git: Git
  isSensitive: IsSensitive
  /** Patterns of build output and of the prepared layer. */
  skip: readonly string[]
  holdsSecret?: FindsSecret
  limits?: SnapshotLimits
}

/** Gives the test whether a content holds a value of the vault, as the vault is now. */
export type FindsSecret = () => Promise<(content: Buffer) => boolean>

/** A folder as git would hold it. */
export interface TakenTree {
  entries: Map<string, TreeEntry>
  files: PlaceFile[]
  leftOut: LeftOut[]
  emptyFolders: string[]
  skipped: string[]
  /** Left out, and not even to be named: the name itself holds a value of the vault. */
  unnamed: Set<string>
}

type TakeTree = (root: string, base: string | null, how: { store: boolean; layer?: readonly string[] | undefined }) => Promise<TakenTree>

/** Remembers the object of each file by its stamp, so that only what changed is read again. */
export function createTreeTaker(options: TreeTakerOptions): TakeTree {
  const { git, isSensitive, skip, holdsSecret, limits } = options
  const known = new Map<string, { stamp: string; oid: string; stored: boolean }>()

  const ignoredBy =
    (root: string, base: ReadonlyMap<string, TreeEntry>, folders: ReadonlySet<string>) =>
    async (paths: string[]): Promise<Set<string>> => {
      const free = paths.filter(path => !base.has(path) && !folders.has(path))
      if (free.length === 0) return new Set()
      const stdin = free.map(path => `${path}\0`).join('')
      const { text } = await git.call(['check-ignore', '-z', '--stdin', '--no-index'], { workTree: root, stdin, answers: [0, 1] })
      return new Set(text.split('\0').filter(Boolean))
    }
  const hashed = async (files: PlaceFile[], how: HashOptions): Promise<Map<string, string>> => {
    const key = (path: string): string => `${how.root}\0${path}`
    const isKnown = ({ path, stamp }: PlaceFile): boolean => {
      const before = known.get(key(path))
      return before?.stamp === stamp && (before.stored || !how.store)
    }
    const fresh = await hashFiles(
      files.filter(file => !isKnown(file)),
      how,
    )
    for (const { path, stamp, fresh: tooNew } of files) {
      const oid = fresh.get(path)
      if (oid !== undefined && !tooNew) known.set(key(path), { stamp, oid, stored: how.store })
      else if (oid !== undefined) known.delete(key(path))
    }
    return new Map(
      files.flatMap(({ path }) => {
        const oid = fresh.get(path) ?? known.get(key(path))?.oid
        return oid === undefined ? [] : [[path, oid] as const]
      }),
    )
  }

  return async (root, baseCommit, { store, layer = [] }) => {
    const base = baseCommit === null ? new Map<string, TreeEntry>() : await readTree(git, baseCommit)
    const { files, emptyFolders, skipped, closed } = await walk(root, {
      skip: [...skip, ...layer.flatMap(path => [path, `${path}/**`])],
      ignored: ignoredBy(root, base, foldersOf(base.keys())),
    })
    // Named without being stored first: what is sensitive or too big must not get into git on the way.
    const doubtful = files.filter(file => base.has(file.path))
    const named = await hashed(doubtful, { git, root, store: false })
    const unchanged = (file: PlaceFile): boolean => named.has(file.path) && named.get(file.path) === base.get(file.path)?.oid
    const selection = selectFiles(files, { root, isSensitive, unchanged, ...(limits && { limits }) })
    const changed = selection.taken.filter(file => !unchanged(file))
    const holds = holdsSecret && changed.length + emptyFolders.length + selection.leftOut.length > 0 ? await holdsSecret() : null
    const secret = holds ? changed.filter(file => holdsIt(root, file, holds)) : []
    const taken = selection.taken.filter(file => !secret.includes(file))
    const oids = await hashed(
      taken.filter(file => !unchanged(file)),
      { git, root, store },
    )
    const entries = new Map<string, TreeEntry>()
    const leftOut: LeftOut[] = [
      ...closed.map(path => ({ path, size: 0, reason: 'unreadable' as const })),
      ...selection.leftOut,
      ...secret.map(({ path, size }) => ({ path, size, reason: 'secret' as const })),
    ]
    for (const file of taken) {
      const oid = unchanged(file) ? base.get(file.path)?.oid : oids.get(file.path)
      if (oid === undefined) leftOut.push({ path: file.path, reason: 'unreadable', size: file.size })
      else entries.set(file.path, { path: file.path, mode: gitMode(file), oid })
    }
    const unnamed = holds ? new Set(leftOut.map(({ path }) => path).filter(path => holds(Buffer.from(path)))) : new Set<string>()
    return { entries, files, leftOut, skipped, unnamed, emptyFolders: emptyFolders.filter(path => !holds?.(Buffer.from(path))) }
  }
}

// A name and where a link leads go into git as well as what a file holds.
function holdsIt(root: string, { path, kind }: PlaceFile, holds: (content: Buffer) => boolean): boolean {
  if (holds(encodeNames(path))) return true
  try {
    if (kind === 'link') return holds(readlinkSync(onDisk(join(root, path)), 'buffer'))
    const file = openPlain(root, path)
    try {
      return holds(readFileSync(file))
    } finally {
      closeSync(file)
    }
  } catch {
    return false
  }
}
