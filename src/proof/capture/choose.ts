import type { Git } from '../../sandbox/git/git.ts'
import { NoBase, RevisionUnknown } from './errors.ts'
import type { Repository } from './repository.ts'

/** Commit and tree of a revision, or null where there is none. */
export async function resolveRevision(git: Git, revision: string): Promise<{ commit: string; tree: string } | null> {
  if (revision === '' || revision.startsWith('-') || revision.includes('..')) return null
  const { text, exit } = await git.call(['log', '-1', '--no-show-signature', '--format=%H %T', revision, '--'], { answers: [0, 128] })
  const [commit = '', tree = ''] = text.trim().split(' ')
  return exit === 0 && tree !== '' ? { commit, tree } : null
}

export async function requireRevision(git: Git, revision: string): Promise<{ commit: string; tree: string }> {
  const found = await resolveRevision(git, revision)
  if (!found) throw new RevisionUnknown(revision)
  return found
}

export interface Tip {
  /** What it was called: `HEAD`, or the revision of `--result`. */
  name: string
  commit: string
  tree: string
  /** The tree that is to be proven: another one than the commit's where files have changed since. */
  produced: string
}

/** §11: which commit was before the work, where nobody said it. Throws `usage` where there is none. */
export async function chooseBase({ own }: Pick<Repository, 'own'>, tip: Tip): Promise<{ commit: string; tree: string }> {
  for (const candidate of await upstreams(own, tip.name)) {
    const { text, exit } = await own.call(['merge-base', tip.commit, candidate], { answers: [0, 1, 128] })
    const common = text.trim()
    if (exit === 0 && common !== tip.commit) return requireRevision(own, common)
    if (exit === 0) break
  }
  if (tip.produced !== tip.tree) return { commit: tip.commit, tree: tip.tree }
  const parent = await resolveRevision(own, `${tip.commit}~1`)
  if (!parent) throw new NoBase('first-commit')
  return parent
}

/** The branch that this one follows, then the default branch of the remote: `origin`, or the only one there is. */
async function upstreams(git: Git, name: string): Promise<string[]> {
  const followed = await git.call(['rev-parse', '--verify', '--quiet', `${name}@{upstream}`], { answers: [0, 1, 128] })
  if (followed.exit === 0) return [followed.text.trim()]
  const { text } = await git.call(['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/remotes'])
  return defaultBranches(text.split('\n').filter(Boolean)).map(branch => `refs/remotes/${branch}`)
}

/** Of `remote/branch` names those that stand for the default branch, best first. */
export function defaultBranches(branches: readonly string[]): string[] {
  const remotes = [...new Set(branches.map(branch => branch.slice(0, branch.indexOf('/'))))]
  const remote = remotes.includes('origin') ? 'origin' : remotes.length === 1 ? remotes[0] : undefined
  if (remote === undefined) return []
  // A remote that was added by hand has no HEAD; then the usual names are tried.
  return ['HEAD', 'main', 'master'].map(branch => `${remote}/${branch}`).filter(branch => branches.includes(branch))
}
