import type { Clock } from '../../kernel/clock.ts'
import type { ProofId } from '../../kernel/ids.ts'
import type { Git } from '../../sandbox/git/git.ts'
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
    captureTree({
      git,
      root,
      tracked: tip.tree,
      unshown: await unshownPaths(repository),
      state: options.state,
      leaveSetUp: true,
      ...excludes,
    })
  const captured = asked.result === undefined ? await capture() : null
  const seen: Tip = { ...tip, name: asked.result ?? 'HEAD', produced: captured?.tree ?? tip.tree }
  const base = asked.base === undefined ? await chooseBase(repository, seen) : await requireRevision(own, asked.base)
  const left_out = captured?.left_out ?? []
  const now: Subject['now'] = captured === null ? () => Promise.resolve(null) : async () => (await capture()).tree
  if (seen.produced !== tip.tree) return { base, result: await produce({ base, tree: seen.produced }, { ...options, git }), left_out, now }
  // Files that are as they were committed are that commit: the proof is then found by everyone who has it.
  await keep(git, options.proof, tip.commit)
  return { base, result: tip, left_out, now }
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

/** Named after their proofs, so that their names are in the order of time. */
export const PROOF_REFS = 'refs/qed/proofs/'

export function proofRef(proof: ProofId): string {
  return `${PROOF_REFS}${proof}`
}

/** What a proof that came to no verdict had kept. Throws where it is there and cannot be removed. */
export async function forgetProduced(git: Git, proof: ProofId): Promise<void> {
  try {
    await git.call(['update-ref', '-d', proofRef(proof)])
  } catch (error) {
    // In a repository that cannot be written even this fails, and there is nothing to forget.
    const { exit } = await git.call(['rev-parse', '--verify', '--quiet', proofRef(proof)], { answers: [0, 1, 128] })
    if (exit === 0) throw error
  }
}
