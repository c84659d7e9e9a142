import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
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

/** Tracked paths that a sparse checkout leaves out; empty in an ordinary one. A mark alone, without the setting, hides nothing. */
export async function unshownPaths({ own }: Pick<Repository, 'own'>): Promise<Set<string>> {
  if (!existsSync(join(own.folder, 'info/sparse-checkout'))) return new Set()
  const asked = await own.call(['config', '--type=bool', '--get', 'core.sparseCheckout'], { answers: [0, 1] })
  if (asked.text.trim() !== 'true') return new Set()
  const { text } = await own.call(['ls-files', '-t', '-z'], { index: join(own.folder, 'index') })
  return new Set(text.split('\0').flatMap(line => (line.startsWith('S ') ? [line.slice(2)] : [])))
}

const LOOK = ['status', '--porcelain=v1', '-z', '--untracked-files=all', '--no-renames', '--ignore-submodules=all']

/** Paths that git takes for changed since HEAD, by the stamps of its own index. Quick also where there are many files; not for a verdict,
 *  since a person may have told git to look away. QED's own folder, new, is their set-up. */
export async function seemChanged({ own, root }: Pick<Repository, 'own' | 'root'>): Promise<string[]> {
  const at = { index: join(own.folder, 'index'), workTree: root, env: { GIT_OPTIONAL_LOCKS: '0' } }
  const { text } = await own.call(LOOK, at)
  return text.split('\0').flatMap(line => (line === '' || line.startsWith('?? .qed/') ? [] : [line.slice(3)]))
}
