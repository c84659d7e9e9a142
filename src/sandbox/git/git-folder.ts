import { join, resolve } from 'node:path'
import { readFileIfThere } from '../../store/files.ts'
import { lstatIfThere } from '../paths.ts'

/** Where the data of a repository is: `.git`, or, in a worktree, the folder that all its worktrees share. */
export function gitFolderOf(root: string): string {
  const dot = join(root, '.git')
  if (!lstatIfThere(dot)?.isFile()) return dot
  const pointed = /^gitdir: (.+)$/m.exec(readFileIfThere(dot) ?? '')?.[1]
  if (pointed === undefined) return dot
  const own = resolve(root, pointed)
  const common = readFileIfThere(join(own, 'commondir'))?.trim()
  return common === undefined ? own : resolve(own, common)
}
