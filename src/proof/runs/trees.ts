import type { TreeEntry } from '../../sandbox/git/tree.ts'
import type { PathTest } from '../judges/matching.ts'

type Entries = ReadonlyMap<string, TreeEntry>

/** The base with only the result's test-side files laid over it: added, changed, deleted. */
export function halfTree(base: Entries, result: Entries, isTestSide: PathTest): TreeEntry[] {
  const laid = new Map([...result].filter(([path]) => isTestSide(path)))
  const folders = new Set([...laid.keys()].flatMap(ancestors))
  // A file and a folder cannot have the same name: what is laid over wins.
  const isFree = (path: string): boolean => !folders.has(path) && !ancestors(path).some(folder => laid.has(folder))
  return [...[...base.values()].filter(({ path }) => !isTestSide(path) && isFree(path)), ...laid.values()]
}

/** The result with some files emptied; their modes stay. */
export function brokenTree(result: Entries, sabotage: readonly string[], emptyBlob: string): TreeEntry[] {
  const emptied = new Set(sabotage)
  return [...result.values()].map(entry => (emptied.has(entry.path) ? { ...entry, oid: emptyBlob } : entry))
}

function ancestors(path: string): string[] {
  const found: string[] = []
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) found.push(path.slice(0, at))
  return found
}
