import { join } from 'node:path'
import type { Git } from '../../sandbox/git/git.ts'
import type { TreeEntry } from '../../sandbox/git/tree.ts'
import { lstatIfThere } from '../../sandbox/paths.ts'

// F-19: the run is of exactly the tree. A proof place can be written, because builds write; but what judges must be at the end of a
// run what it was at its start, or the command has judged something else.

/** Files that judge, with what tells a write. */
export type Stamps = ReadonlyMap<string, string>

export function stampsOf(place: string, entries: Iterable<TreeEntry>): Stamps {
  return new Map(Array.from(entries, ({ path }) => [path, stampOf(join(place, path))]))
}

function stampOf(path: string): string {
  const stat = lstatIfThere(path)
  return stat === undefined ? '' : [stat.ino, stat.size, stat.mode, stat.mtimeMs, stat.ctimeMs].join(' ')
}

/** Paths whose content is another one than before the run, sorted. One that was only touched, or put back, is not among them. */
export async function rewritten(
  place: string,
  { before, entries, git }: { before: Stamps; entries: ReadonlyMap<string, TreeEntry>; git: Git },
): Promise<string[]> {
  const touched = [...before].filter(([path, stamp]) => stampOf(join(place, path)) !== stamp).map(([path]) => path)
  const isFile = (path: string): boolean => lstatIfThere(join(place, path))?.isFile() === true && !path.includes('\n')
  const files = touched.filter(isFile)
  const { text } = files.length === 0 ? { text: '' } : await hashed(files, { place, git })
  const oids = new Map(text.split('\n').map((oid, i) => [files[i] ?? '', oid]))
  return touched.filter(path => oids.get(path) !== entries.get(path)?.oid).sort()
}

function hashed(files: readonly string[], { place, git }: { place: string; git: Git }): Promise<{ text: string }> {
  return git.call(['hash-object', '--stdin-paths'], { workTree: place, stdin: files.map(path => `${path}\n`).join('') })
}
