import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../kernel/clock.ts'
import { makeFolder } from '../../store/files.ts'
import type { Git } from '../git/git.ts'
import { type TreeEntry, writeTree } from '../git/tree.ts'

/** Puts entries into the repository as a tree, through an index that exists for this alone. */
export async function storeTree(git: Git, state: string, entries: Iterable<TreeEntry>): Promise<string> {
  const folder = join(state, 'tmp')
  makeFolder(folder, { private: true })
  const index = join(folder, `index-${randomBytes(8).toString('hex')}`)
  try {
    return await writeTree(git, entries, index)
  } finally {
    rmSync(index, { force: true })
  }
}

/** A commit that no branch knows of. */
export function storeCommit(git: Git, clock: Clock, commit: { tree: string; parents: string[]; message: string }): Promise<string> {
  const date = `${Math.floor(clock.now() / 1000)} +0000`
  const parents = commit.parents.flatMap(parent => ['-p', parent])
  return git.line(['commit-tree', commit.tree, ...parents, '-F', '-'], {
    stdin: commit.message,
    env: { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
  })
}
