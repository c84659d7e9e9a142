import { resolve } from 'node:path'
import { findRepository } from '../../project/root.ts'
import { createGit, type Git } from '../../sandbox/git/git.ts'
import { gitFolderOf } from '../../sandbox/git/git-folder.ts'
import { lstatIfThere } from '../../sandbox/paths.ts'
import type { Processes } from '../../sandbox/process/types.ts'
import { readFileIfThere } from '../../store/files.ts'
import { OutsideRepository } from './errors.ts'

/** A checkout: its files, the data that all worktrees of the repository share, and what is its own (HEAD). */
export interface Repository {
  root: string
  git: Git
  /** Sees the HEAD of this very worktree. */
  own: Git
}

/** The repository around a folder; a sub-folder means its root. Throws `usage` outside one. */
export function openRepository(folder: string, processes: Pick<Processes, 'run'>): Repository {
  const root = findRepository(folder)
  if (root === null) throw new OutsideRepository(resolve(folder))
  const shared = gitFolderOf(root)
  const own = ownGitFolder(root)
  const git = createGit(processes, { root, gitFolder: shared })
  return { root, git, own: own === shared ? git : createGit(processes, { root, gitFolder: own }) }
}

function ownGitFolder(root: string): string {
  const dot = resolve(root, '.git')
  const pointed = lstatIfThere(dot)?.isFile() ? /^gitdir: (.+)$/m.exec(readFileIfThere(dot) ?? '')?.[1] : undefined
  return pointed === undefined ? dot : resolve(root, pointed)
}
