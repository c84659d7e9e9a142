import type { Clock } from '../../kernel/clock.ts'
import type { ProofId } from '../../kernel/ids.ts'
import { type Git, GitFailed } from '../../sandbox/git/git.ts'
import { storeCommit } from '../../sandbox/snapshot/store-commit.ts'
import type { TreeRef } from '../facts.ts'
import { captureTree } from './capture-tree.ts'
import { chooseBase, requireRevision, resolveRevision, type Tip } from './choose.ts'
import { NoBase } from './errors.ts'
import { type Repository, unshownPaths } from './repository.ts'

/** What is proven: two trees, and how to see later whether someone went on editing. */
export interface Subject {
  base: TreeRef
  result: TreeRef
  /** Paths that git could not take. */
  left_out: string[]
  /** The tree of the folder as it is now; null where the result is a commit and cannot change. */
  now: () => Promise<string | null>
}

export interface SubjectOptions {
  git: Git
  clock: Clock
  state: string
  proof: ProofId
}

/** The work of a run in its place, over the base that its brief names (F-1, F-2, F-3). */
export async function subjectOfPlace(place: { root: string; base: TreeRef }, options: SubjectOptions): Promise<Subject> {
  const capture = () => captureTree({ ...options, root: place.root, tracked: place.base.tree })
  const { tree, left_out } = await capture()
  const result = await produce({ base: place.base, tree }, options)
  return { base: place.base, result, left_out, now: async () => (await capture()).tree }
}

export interface Asked {
  /** A revision; else it is chosen by §11. */
  base?: string | undefined
  /** A revision; else the working tree. */
  result?: string | undefined
  /** The person's own ignore file. */
  excludes?: string | undefined
}

/** Any work in any repository: `qed prove`. */
export async function subjectOfCheckout(repository: Repository, asked: Asked, options: Omit<SubjectOptions, 'git'>): Promise<Subject> {
  const { root, git, own } = repository
  const tip = asked.result === undefined ? await resolveRevision(own, 'HEAD') : await requireRevision(own, asked.result)
  if (!tip) throw new NoBase('no-commit')
  const excludes = asked.excludes === undefined ? {} : { excludes: asked.excludes }
  const capture = async () =>
    captureTree({ git, root, tracked: tip.tree, unshown: await unshownPaths(repository), state: options.state, ...excludes })
  const captured = asked.result === undefined ? await capture() : null
  const seen: Tip = { ...tip, name: asked.result ?? 'HEAD', produced: captured?.tree ?? tip.tree }
  const base = asked.base === undefined ? await chooseBase(repository, seen) : await requireRevision(own, asked.base)
  if (captured === null) {
    await keep(git, options.proof, tip.commit)
    return { base, result: tip, left_out: [], now: () => Promise.resolve(null) }
  }
  const result = await produce({ base, tree: captured.tree }, { ...options, git })
  return { base, result, left_out: captured.left_out, now: async () => (await capture()).tree }
}

/** F-2: one commit with the base as its only parent; its ref keeps it from git's own collection. */
async function produce({ base, tree }: { base: TreeRef; tree: string }, { git, clock, proof }: SubjectOptions): Promise<TreeRef> {
  const commit = await storeCommit(git, clock, { tree, parents: [base.commit], message: PRODUCED })
  await keep(git, proof, commit)
  return { commit, tree }
}

export const PRODUCED = 'Work in progress\n'

async function keep(git: Git, proof: ProofId, commit: string): Promise<void> {
  await git.call(['update-ref', proofRef(proof), commit])
}

export function proofRef(proof: ProofId): string {
  return `refs/qed/proofs/${proof}`
}

/** What a proof that came to no verdict had kept. */
export async function forgetProduced(git: Git, proof: ProofId): Promise<void> {
  await git.call(['update-ref', '-d', proofRef(proof)]).catch((error: unknown) => {
    if (!(error instanceof GitFailed)) throw error
  })
}
