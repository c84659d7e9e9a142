import type { Clock } from '../../kernel/clock.ts'
import type { Git } from '../../sandbox/git/git.ts'
import type { TreeEntry } from '../../sandbox/git/tree.ts'
import { storeCommit, storeTree } from '../../sandbox/snapshot/store-commit.ts'
import type { Comparison } from '../capture/compare.ts'
import { PRODUCED } from '../capture/subject.ts'
import { RUN_NAMES, type RunFact, type RunName, type RunPlan, type TreeRef } from '../facts.ts'
import type { PathTest } from '../judges/matching.ts'
import { colourOf } from '../judges/run-colour.ts'
import type { ProofPlace, ProofPlaces } from '../places/proof-places.ts'
import type { Mounted } from '../prepare/mount-layer.ts'
import type { VerifyCommand } from '../terms.ts'
import { type BaseResults, baseKey, sameIsolation } from './base-results.ts'
import { runVerify, shellName, type VerifyOptions } from './run-verify.ts'
import { brokenTree, halfTree } from './trees.ts'
import { variedEnvironment } from './vary.ts'

export interface RunsJob {
  base: TreeRef
  result: TreeRef
  trees: Pick<Comparison, 'base' | 'result'>
  plan: RunPlan
  command: VerifyCommand
  isTestSide: PathTest
  layer: string | null
}

export type RunProgress =
  | { kind: 'run.started'; name: RunName; n: number }
  | { kind: 'run.output'; name: RunName; n: number; stream: 'stdout' | 'stderr'; text: string }
  | { kind: 'run.ended'; run: RunFact }

export interface RunsParts extends Omit<VerifyOptions, 'onOutput'> {
  git: Git
  clock: Clock
  state: string
  places: ProofPlaces
  bases: BaseResults
  /** Puts the prepared layer and included files into a place. */
  furnish: (place: ProofPlace) => Promise<Mounted>
  progress: (event: RunProgress) => void
}

interface Planned extends TreeRef {
  name: RunName
  n: number
}

/** Makes the runs of a plan, one after the other: side by side they would share processors and time limits, and a slow test is
 *  not a red one. The next place is made while a run goes on. Throws when the signal is given. */
export async function makeRuns(job: RunsJob, parts: RunsParts): Promise<RunFact[]> {
  const key = baseKey({ tree: job.base.tree, shell: shellName(), command: job.command, layer: job.layer })
  const known = parts.bases.get(key)
  const planned = await plannedRuns(job, parts)
  const facts = await inTurn(known ? planned.filter(({ name }) => name !== 'base') : planned, job, parts)
  const measured = facts.find(({ name }) => name === 'base')
  if (measured && colourOf(measured, job.command) !== 'not-run') parts.bases.put(key, measured)
  if (known) facts.push(...(await reusedBase(known, { facts, planned, job, parts })))
  return facts.sort((a, b) => RUN_NAMES.indexOf(a.name) - RUN_NAMES.indexOf(b.name) || a.n - b.n)
}

// Which walls a run has is known only once there was one: so the result goes first, and the base is run after all where its
// kept run had other walls.
async function reusedBase(
  known: RunFact,
  { facts, planned, job, parts }: { facts: RunFact[]; planned: Planned[]; job: RunsJob; parts: RunsParts },
): Promise<RunFact[]> {
  const result = facts.find(({ name }) => name === 'result')
  if (result && sameIsolation(result.isolation, known.isolation)) return [{ ...known, reused: true }]
  return inTurn(
    planned.filter(({ name }) => name === 'base'),
    job,
    parts,
  )
}

async function inTurn(planned: Planned[], { command }: RunsJob, parts: RunsParts): Promise<RunFact[]> {
  const { places, progress, signal } = parts
  const ready = async (run: Planned | undefined): Promise<(Mounted & { place: ProofPlace }) | null> => {
    if (!run) return null
    const place = await places.make(run.commit)
    return { place, ...(await parts.furnish(place)) }
  }
  const facts: RunFact[] = []
  let next = ready(planned[0])
  try {
    for (const [i, { name, n, tree }] of planned.entries()) {
      const now = await next
      signal?.throwIfAborted()
      next = ready(planned[i + 1])
      // Looked at in the next turn; until then a failure is nobody's.
      next.catch(() => undefined)
      if (!now) break
      progress({ kind: 'run.started', name, n })
      const run = await runVerify(
        { ...now, name, n, tree, command, env: { ...now.env, ...(name === 'vary' && variedEnvironment()) } },
        { ...parts, onOutput: (stream, text) => progress({ kind: 'run.output', name, n, stream, text }) },
      )
      signal?.throwIfAborted()
      places.remove(now.place)
      facts.push(run)
      progress({ kind: 'run.ended', run })
    }
    return facts
  } finally {
    // Nobody removes a place while it is still being filled.
    await next.catch(() => undefined)
  }
}

async function plannedRuns(job: RunsJob, parts: RunsParts): Promise<Planned[]> {
  const { base, result, plan, command } = job
  const planned: Planned[] = []
  for (const name of plan.required) {
    if (name === 'base') planned.push({ name, n: 1, ...base })
    else if (name === 'result') planned.push(...Array.from({ length: command.repeat }, (_, i) => ({ name, n: i + 1, ...result })))
    else if (name === 'vary') planned.push({ name, n: 1, ...result })
    else planned.push({ name, n: 1, ...(await madeUp(await entriesOf(name, job, parts), job, parts)) })
  }
  return planned
}

async function entriesOf(name: 'half' | 'broken', { trees, plan, isTestSide }: RunsJob, { git }: RunsParts): Promise<TreeEntry[]> {
  if (name === 'half') return halfTree(trees.base, trees.result, isTestSide)
  return brokenTree(trees.result, plan.sabotage, await git.line(['hash-object', '-w', '--stdin'], { stdin: '' }))
}

/** A commit for a tree that nobody produced. No ref keeps it: it is of use only while the proof goes on. */
async function madeUp(entries: TreeEntry[], { base }: RunsJob, { git, state, clock }: RunsParts): Promise<TreeRef> {
  const tree = await storeTree(git, state, entries)
  return { tree, commit: await storeCommit(git, clock, { tree, parents: [base.commit], message: PRODUCED }) }
}
