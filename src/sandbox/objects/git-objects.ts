import type { Clock } from '../../kernel/clock.ts'
import { type Git, GitFailed } from '../git/git.ts'
import type { TreeEntry } from '../git/tree.ts'
import { hashFiles } from '../snapshot/hash-files.ts'
import { storeCommit, storeTree } from '../snapshot/store-commit.ts'
import type { Objects } from './objects.ts'

/** By git itself: a process for each step, in every repository that git knows. */
export function gitObjects(git: Git, { state, clock }: { state: string; clock: Clock }): Objects {
  return {
    hash: (files, { root, store }) => hashFiles(files, { git, root, store }),
    tree: () => {
      const entries = new Map<string, TreeEntry>()
      return {
        set: (path, entry) => void (entry ? entries.set(path, { path, ...entry }) : entries.delete(path)),
        store: () => storeTree(git, state, entries.values()),
      }
    },
    commit: commit => storeCommit(git, clock, commit),
    makeRef: async (ref, commit) => {
      try {
        await git.call(['update-ref', ref, commit, '0'.repeat(commit.length)])
        return true
      } catch (error) {
        if (error instanceof GitFailed) return false
        throw error
      }
    },
    newest: async run => {
      const { text } = await git.call(['for-each-ref', '--format=%(refname:lstrip=4)', `refs/qed/snapshots/${run}/`])
      return Math.max(0, ...text.split('\n').filter(Boolean).map(Number))
    },
    publish: () => Promise.resolve(),
  }
}
