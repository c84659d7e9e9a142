import { mkdirSync } from 'node:fs'
import { QedError } from '../../kernel/errors.ts'
import type { RunId } from '../../kernel/ids.ts'
import type { Git } from '../git/git.ts'
import type { TreeEntry } from '../git/tree.ts'
import { matchesAny, parseGlobs } from '../scope/glob.ts'
import { type Change, changesBetween, changesDigest } from './changes.ts'
import { inFolder } from './inside.ts'
import type { Manifest } from './manifest.ts'
import type { Snapshots } from './snapshots.ts'
import type { Snapshot } from './watching.ts'
import { carryOut } from './write-files.ts'

/** The change that was shown is not the one that would happen now. */
class RestoreChanged extends QedError {
  readonly code = 'digest_mismatch'
  constructor(ref: string, digest: string) {
    super(`What restoring ${ref} would change is no longer what was shown. Nothing was changed.`, {
      details: { ref, digest },
      next: {
        operation: 'snapshot.restore',
        command: `qed snapshot restore ${ref} --into <folder>`,
        why: 'It shows the change as it is now.',
      },
    })
  }
}

interface RestorePlan {
  ref: string
  into: string
  changes: Change[]
  /** Agrees to exactly these changes. */
  digest: string
}

export interface Restore {
  plan: RestorePlan
  restored: boolean
  /** What was there before, where something was. */
  before: Snapshot | null
}

export interface RestoreOptions {
  git: Git
  snapshots: Snapshots
  ref: string
  /** An existing folder; changed only with the digest of a plan, and after a snapshot of it. */
  into: string
  paths?: readonly string[]
  agreed?: string
  run: RunId
}

/** Into a folder that has something to lose: shows first, saves what is there, then changes it. */
export async function restoreInto({ git, snapshots, ref, into, paths, agreed, run }: RestoreOptions): Promise<Restore> {
  const { files, manifest, base } = await snapshots.read(ref)
  const present = await snapshots.look(into, base, manifest.layer)
  const chosen = pathFilter(paths)
  const wanted = new Map([...files].filter(([path]) => chosen(path)))
  // Never in a snapshot, so a snapshot cannot say that they are to go.
  const outside = new Set(present.leftOut.map(({ path }) => path))
  const there = new Map([...withOddModes(present)].filter(([path]) => chosen(path) && !outside.has(path)))
  const changes = changesBetween(there, withManifestModes(wanted, manifest)).filter(change => !isOwnDeleted(change))
  const plan = { ref, into, changes, digest: changesDigest(changes, wanted) }
  if (agreed === undefined) return { plan, restored: false, before: null }
  if (agreed !== plan.digest) throw new RestoreChanged(ref, plan.digest)
  const before = await snapshots.take({ run, root: into, base, layer: manifest.layer, reason: 'before restore' })
  await carryOut(git, into, changes, { files: wanted, modes: manifest.modes })
  makeFolders(into, manifest.empty_folders.filter(chosen))
  return { plan, restored: true, before }
}

// A place has no `.qed`, so that its snapshots do not know of the project's: what says who the project is would go.
function isOwnDeleted({ kind, path }: Change): boolean {
  return kind === 'deleted' && path.startsWith('.qed/')
}

/** Into a folder of its own: nothing can be lost, so it is done at once. */
export async function restoreNew(at: {
  git: Git
  snapshots: Snapshots
  ref: string
  into: string
  paths?: readonly string[]
}): Promise<Restore> {
  const { files, manifest } = await at.snapshots.read(at.ref)
  const chosen = pathFilter(at.paths)
  const wanted = new Map([...files].filter(([path]) => chosen(path)))
  mkdirSync(at.into, { recursive: true, mode: 0o700 })
  const changes = changesBetween(new Map(), wanted)
  await carryOut(at.git, at.into, changes, { files: wanted, modes: manifest.modes })
  makeFolders(at.into, manifest.empty_folders.filter(chosen))
  return { plan: { ref: at.ref, into: at.into, changes, digest: changesDigest(changes, wanted) }, restored: true, before: null }
}

function pathFilter(paths: readonly string[] | undefined): (path: string) => boolean {
  if (paths === undefined || paths.length === 0) return () => true
  const globs = parseGlobs(paths.flatMap(path => [path, `${path.replace(/\/$/, '')}/**`]))
  return path => matchesAny(globs, path)
}

// Permissions that git cannot hold are compared too, by writing them where git's mode stands.
function withOddModes({
  entries,
  files,
}: {
  entries: Map<string, TreeEntry>
  files: { path: string; mode: number; kind: string }[]
}): Map<string, TreeEntry> {
  const modes = new Map(files.filter(({ kind }) => kind === 'file').map(({ path, mode }) => [path, mode.toString(8)]))
  return withModes(entries, path => modes.get(path))
}

function withManifestModes(files: Map<string, TreeEntry>, { modes }: Manifest): Map<string, TreeEntry> {
  return withModes(files, path => modes[path])
}

/** Entries with all their permissions, those included that git cannot hold. */
export function withModes(files: ReadonlyMap<string, TreeEntry>, odd: (path: string) => string | undefined): Map<string, TreeEntry> {
  return new Map(Array.from(files, ([path, entry]) => [path, { ...entry, mode: full(entry, odd(path)) }]))
}

function full(entry: TreeEntry, odd: string | undefined): string {
  if (entry.mode === '120000') return entry.mode
  return `100${odd ?? (entry.mode === '100755' ? '755' : '644')}`
}

/** Makes folders that are missing; never through a link. */
export function makeFolders(root: string, folders: readonly string[]): void {
  for (const folder of folders) inFolder(root, folder, 'make', () => undefined)
}
