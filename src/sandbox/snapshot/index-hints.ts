import { join } from 'node:path'
import { readFileIfThere } from '../../store/files.ts'
import type { Base } from '../git/base.ts'
import { ownGitFolderOf } from '../git/git-folder.ts'
import { type IndexEntry, readIndex } from '../git/index-file.ts'
import { isInside } from '../paths.ts'

/** Files that git knows to be as the base has them, so that they need not be read: found by their stamps in the index of the person's
 *  checkout. None where a worker could have written that index, and none where a filter stands between a file and what git holds;
 *  line ends and the like show in the size. */
export function indexHints(root: string, base: Base, gitFolder: string): Map<string, IndexEntry> {
  const own = ownGitFolderOf(root)
  if (!isInside(gitFolder, own) || hasFilters(root, base, gitFolder)) return new Map()
  const entries = readIndex(join(own, 'index'))
  return new Map([...entries].filter(([path, { oid, size }]) => base.entries.get(path)?.oid === oid && base.sizes.get(path) === size))
}

function hasFilters(root: string, base: Base, gitFolder: string): boolean {
  const inTree = [...base.entries.keys()].filter(path => path.endsWith('.gitattributes')).map(path => join(root, path))
  return [...inTree, join(root, '.gitattributes'), join(gitFolder, 'info/attributes')].some(file =>
    /\bfilter\s*=/.test(readFileIfThere(file) ?? ''),
  )
}
