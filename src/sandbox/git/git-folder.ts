import { join, resolve } from 'node:path'
import { readFileIfThere } from '../../store/files.ts'
import { lstatIfThere } from '../paths.ts'

/** What a checkout has to itself, its HEAD and index: `.git`, or, in a worktree, the folder that this file points to. */
export function ownGitFolderOf(root: string): string {
  const dot = join(root, '.git')
  if (!lstatIfThere(dot)?.isFile()) return dot
  const pointed = /^gitdir: (.+)$/m.exec(readFileIfThere(dot) ?? '')?.[1]
  return pointed === undefined ? dot : resolve(root, pointed)
}

/** Where the data of a repository is: `.git`, or, in a worktree, the folder that all its worktrees share. */
export function gitFolderOf(root: string): string {
  const own = ownGitFolderOf(root)
  const common = lstatIfThere(join(root, '.git'))?.isFile() ? readFileIfThere(join(own, 'commondir'))?.trim() : undefined
  return common === undefined ? own : resolve(own, common)
}
