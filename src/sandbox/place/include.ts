import { constants, copyFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Git } from '../git/git.ts'
import { type IsSensitive, isSensitiveName } from '../isolation/sensitive.ts'
import { isPlainFolder, lstatIfThere, makePlainFolder } from '../paths.ts'

export interface IncludeOptions {
  git: Git
  /** The checkout that the files come from. */
  root: string
  include?: readonly string[]
  isSensitive?: IsSensitive
}

/** Copies ignored files that the work needs and git does not have. A sensitive one is never copied, whatever the pattern says. */
export async function copyIncluded(
  place: string,
  { git, root, include = [], isSensitive = isSensitiveName }: IncludeOptions,
): Promise<string[]> {
  if (include.length === 0) return []
  const patterns = include.map(pattern => `:(glob)${pattern}`)
  const { text } = await git.call(['ls-files', '--others', '--ignored', '--exclude-standard', '-z', '--', ...patterns], { workTree: root })
  const wanted = text.split('\0').filter(path => path !== '' && !path.startsWith('.qed/') && !isSensitive(join(root, path)))
  const plain = wanted.filter(path => (lstatIfThere(join(root, path))?.isFile() ?? false) && isPlainFolder(root, dirname(path)))
  // The base may hold a link where the checkout has a folder, and a file where it has none: neither is written through or over.
  const free = plain.filter(path => makePlainFolder(place, dirname(path)) && !lstatIfThere(join(place, path)))
  for (const path of free) copyFileSync(join(root, path), join(place, path), constants.COPYFILE_EXCL)
  return free
}
