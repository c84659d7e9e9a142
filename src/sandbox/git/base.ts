import type { Git } from './git.ts'
import type { TreeEntry } from './tree.ts'

/** The commit that work began from, as far as a look at the files needs it. */
export interface Base {
  entries: ReadonlyMap<string, TreeEntry>
  sizes: ReadonlyMap<string, number>
  /** Every folder that holds one of them. */
  folders: ReadonlySet<string>
  /** Names of its trees: they are in the repository. */
  trees: ReadonlySet<string>
}

/** Whether the base holds a path, as a file or a folder. */
export function isTracked({ entries, folders }: Base, path: string): boolean {
  return entries.has(path) || folders.has(path)
}

const NO_BASE: Base = { entries: new Map(), sizes: new Map(), folders: new Set(), trees: new Set() }
const MOST_KEPT = 4

/** A commit never changes, so that the last few are read once. */
export function createBases(git: Git): (commit: string | null) => Promise<Base> {
  const known = new Map<string, Promise<Base>>()
  return commit => {
    if (commit === null) return Promise.resolve(NO_BASE)
    const base = known.get(commit) ?? readBase(git, commit)
    known.delete(commit)
    known.set(commit, base)
    base.catch(() => known.delete(commit))
    for (const oldest of known.keys()) if (known.size > MOST_KEPT) known.delete(oldest)
    return base
  }
}

async function readBase(git: Git, commit: string): Promise<Base> {
  const { text } = await git.call(['ls-tree', '-r', '-t', '-l', '-z', '--full-tree', commit])
  const entries = new Map<string, TreeEntry>()
  const sizes = new Map<string, number>()
  const folders = new Set<string>()
  const trees = new Set<string>()
  for (const line of text.split('\0')) {
    const match = /^(\d+) (\w+) ([0-9a-f]+) +(\d+|-)\t(.*)$/s.exec(line)
    if (!match) continue
    const [, mode = '', kind, oid = '', size, path = ''] = match
    if (kind !== 'tree') {
      entries.set(path, { path, mode, oid })
      sizes.set(path, Number(size))
    } else {
      folders.add(path)
      trees.add(oid)
    }
  }
  return { entries, sizes, folders, trees }
}
