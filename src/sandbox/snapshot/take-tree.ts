import { closeSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type Base, createBases, isTracked } from '../git/base.ts'
import type { Git } from '../git/git.ts'
import type { TreeEntry } from '../git/tree.ts'
import type { IsSensitive } from '../isolation/sensitive.ts'
import { encodeNames, onDisk } from '../names.ts'
import type { HashOptions, Objects } from '../objects/objects.ts'
import { createIgnoredByGit } from './ignored-by-git.ts'
import { indexHints } from './index-hints.ts'
import { openPlain } from './inside.ts'
import { gitMode, type LeftOut, type SnapshotLimits, selectFiles } from './select.ts'
import { type PlaceFile, type Walked, walk } from './walk.ts'

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

/** Which of some files go into git, and as what. */
interface JudgedFiles {
  entries: Map<string, TreeEntry>
  leftOut: LeftOut[]
  /** Left out, and not even to be named: the name itself holds a value of the vault. */
  unnamed: Set<string>
}

/** A folder as git would hold it. */
export interface TakenTree extends JudgedFiles {
  files: PlaceFile[]
  emptyFolders: string[]
  skipped: string[]
  /** Folders that may not be looked into; left out as a whole. */
  closed: string[]
}

export interface TreeTaker {
  /** Everything in a folder. */
  take: (root: string, base: string | null, how: { store: boolean; layer?: readonly string[] | undefined }) => Promise<TakenTree>
  base: (commit: string | null) => Promise<Base>
  /** What is there, none of it read. Folders whose names hold a value of the vault are not among the empty ones. */
  walk: (root: string, base: Base, how?: { layer?: readonly string[] | undefined; signal?: AbortSignal | undefined }) => Promise<Walked>
  /** From now on takes files of a folder for unchanged that git knows to be so. For a folder that no worker has had. */
  trustIndex: (root: string, base: Base) => void
  /** Some files of a folder. `spent`: bytes of others that are new in git. */
  judge: (files: PlaceFile[], at: HashOptions & { base: Base; spent?: number }) => Promise<JudgedFiles>
}

/** Remembers the object of each file by its stamp, so that only what changed is read again. */
export function createTreeTaker(options: TreeTakerOptions, objects: Objects): TreeTaker {
  const { git, isSensitive, skip, holdsSecret, limits } = options
  const { hashed, learn } = createHashed(objects)
  const base = createBases(git)
  const ignoredByGit = createIgnoredByGit(git)

  const walkIt: TreeTaker['walk'] = async (root, from, { layer = [], signal } = {}) => {
    const walked = await walk(root, {
      skip: skipOf(skip, layer),
      signal,
      ignored: paths =>
        ignoredByGit(
          root,
          paths.filter(path => !isTracked(from, path)),
        ),
    })
    const holds = holdsSecret && walked.emptyFolders.length > 0 ? await holdsSecret() : null
    return holds ? { ...walked, emptyFolders: walked.emptyFolders.filter(path => !holds(Buffer.from(path))) } : walked
  }
  const judge: TreeTaker['judge'] = async (files, { root, base: { entries: tracked }, store, spent = 0, signal }) => {
    // Named without being stored first: what is sensitive or too big must not get into git on the way.
    const named = await hashed(
      files.filter(file => tracked.has(file.path)),
      { root, store: false, signal },
    )
    const unchanged = (file: PlaceFile): boolean => named.has(file.path) && named.get(file.path) === tracked.get(file.path)?.oid
    const selection = selectFiles(files, { root, isSensitive, unchanged, spent, ...(limits && { limits }) })
    const changed = selection.taken.filter(file => !unchanged(file))
    const holds = holdsSecret && changed.length + selection.leftOut.length > 0 ? await holdsSecret() : null
    const secret = new Set(holds ? changed.filter(file => holdsIt(root, file, holds)) : [])
    const oids = await hashed(
      changed.filter(file => !secret.has(file)),
      { root, store, signal },
    )
    const entries = new Map<string, TreeEntry>()
    const leftOut: LeftOut[] = [
      ...selection.leftOut,
      ...Array.from(secret, ({ path, size }) => ({ path, size, reason: 'secret' as const })),
    ]
    for (const file of selection.taken) {
      if (secret.has(file)) continue
      const oid = unchanged(file) ? tracked.get(file.path)?.oid : oids.get(file.path)
      if (oid === undefined) leftOut.push({ path: file.path, reason: 'unreadable', size: file.size })
      else entries.set(file.path, { path: file.path, mode: gitMode(file), oid })
    }
    return { entries, leftOut, unnamed: new Set(holds ? leftOut.map(({ path }) => path).filter(path => holds(Buffer.from(path))) : []) }
  }
  return {
    base,
    trustIndex: (root, from) => learn(root, indexHints(root, from, git.folder)),
    walk: walkIt,
    judge,
    take: async (root, commit, { store, layer }) => {
      const from = await base(commit)
      const { files, emptyFolders, skipped, closed } = await walkIt(root, from, { layer })
      const judged = await judge(files, { root, base: from, store })
      const leftOut = [...closed.map(shutFolder), ...judged.leftOut]
      const holds = holdsSecret && closed.length > 0 ? await holdsSecret() : null
      const unnamed = closed.filter(path => holds?.(Buffer.from(path)))
      return { entries: judged.entries, leftOut, unnamed: new Set([...judged.unnamed, ...unnamed]), files, skipped, emptyFolders, closed }
    },
  }
}

/** A folder that may not be looked into. */
function shutFolder(path: string): LeftOut {
  return { path, size: 0, reason: 'unreadable' }
}

/** Patterns of what a look does not go into: outputs, and the prepared layer of this place. */
export function skipOf(skip: readonly string[], layer: readonly string[]): string[] {
  return [...skip, ...layer.flatMap(path => [path, `${path}/**`])]
}

interface KnownFile {
  stamp: string
  oid: string
  stored: boolean
}

function createHashed(objects: Objects) {
  const roots = new Map<string, Map<string, KnownFile>>()
  const knownIn = (root: string): Map<string, KnownFile> => {
    const known = roots.get(root) ?? new Map<string, KnownFile>()
    roots.set(root, known)
    return known
  }
  const learn = (root: string, files: ReadonlyMap<string, { stamp: string; oid: string }>): void => {
    const known = knownIn(root)
    for (const [path, { stamp, oid }] of files) known.set(path, { stamp, oid, stored: true })
  }
  const hashed: Objects['hash'] = async (files, { root, store, signal }) => {
    const known = knownIn(root)
    const isKnown = ({ path, stamp }: PlaceFile): boolean => {
      const before = known.get(path)
      return before?.stamp === stamp && (before.stored || !store)
    }
    const fresh = await objects.hash(
      files.filter(file => !isKnown(file)),
      { root, store, signal },
    )
    const found = new Map<string, string>()
    for (const file of files) {
      const { path, stamp } = file
      const oid = fresh.get(path) ?? (isKnown(file) ? known.get(path)?.oid : undefined)
      if (oid === undefined) continue
      found.set(path, oid)
      if (file.fresh) known.delete(path)
      else if (fresh.has(path)) known.set(path, { stamp, oid, stored: store })
    }
    return found
  }
  return { hashed, learn }
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
