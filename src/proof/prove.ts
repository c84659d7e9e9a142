import { type Clock, timestamp } from '../kernel/clock.ts'
import { Cancelled } from '../kernel/errors.ts'
import type { ProofId, RunId } from '../kernel/ids.ts'
import type { Git } from '../sandbox/git/git.ts'
import type { Processes } from '../sandbox/process/types.ts'
import { type Comparison, compareTrees } from './capture/compare.ts'
import { forgetProduced, type Subject } from './capture/subject.ts'
import type { GateFact, PrepareFact, ProofFacts, RunPlan, Surroundings } from './facts.ts'
import { matchesAny, type PathTest } from './judges/matching.ts'
import { judgesOf } from './judges/protected.ts'
import { testSide } from './judges/test-side.ts'
import { createProofPlaces, type ProofPlace, type ProofPlaces } from './places/proof-places.ts'
import { openRecord } from './places/records.ts'
import { MANIFESTS } from './prepare/commands.ts'
import type { Mounted, MountLayer } from './prepare/mount-layer.ts'
import { type Prepared, type PrepareParts, prepare } from './prepare/prepare.ts'
import type { Proof } from './proof.ts'
import { makeRuns, type RunProgress, type RunsParts } from './runs/make-runs.ts'
import { planRuns } from './runs/plan.ts'
import type { ProofSettings, ProofTerms } from './terms.ts'
import { type Judgement, toProof } from './to-proof.ts'

// A proof from start to end: note it → end the run's processes → capture → compare → plan → prepare → runs → gates → capture
// again → judge → seal → settle. It measures and hands on; what a fact means is said elsewhere.

export interface ProveJob {
  proof: ProofId
  terms: ProofTerms
  subject: () => Promise<Subject>
  /** Whose processes are ended before anything is looked at; null standalone. */
  run: RunId | null
  given: Pick<ProofFacts, 'brief_digest' | 'regressions' | 'claim' | 'acceptances' | 'author' | 'canaries'>
  /** Leaves the proof places for a person to look at. */
  keep?: boolean
  signal?: AbortSignal
}

export type ProveProgress =
  | RunProgress
  | { kind: 'captured'; subject: Pick<Subject, 'base' | 'result'>; changed: number }
  | { kind: 'planned'; plan: RunPlan }
  | { kind: 'prepared'; prepare: PrepareFact }

/** What a part looks at that measures more than the runs. */
export interface ProofContext {
  terms: ProofTerms
  settings: ProofSettings
  subject: Pick<Subject, 'base' | 'result' | 'left_out'>
  trees: Comparison
  places: ProofPlaces
  /** Puts dependencies and included files into a place, as for a run. */
  furnish: (place: ProofPlace) => Promise<Mounted>
  signal: AbortSignal | undefined
}

export interface ProveParts extends Pick<PrepareParts, 'layers' | 'mayPrepare' | 'isInstalled'>, Pick<RunsParts, 'bases' | 'countTests'> {
  git: Git
  processes: Pick<Processes, 'run' | 'endRun'>
  clock: Clock
  state: string
  /** Id of the project, or one that looks like it. */
  project: string
  mountLayer: MountLayer
  /** Copies what git does not have: files of `sandbox.include` as they were before the work, submodules that are on the machine. */
  include: (place: ProofPlace) => Promise<void>
  /** Read from the base (F-17), and the command of `proof.prepare` where it is trusted. */
  settings: (base: Subject['base']) => Promise<{ settings: ProofSettings; prepare: string | null }>
  verifyInputs: (context: ProofContext) => Promise<string[]>
  /** Null where nobody looked before the work. `left` is what was ended when it stopped. */
  surroundings: (context: ProofContext, left: { ended: string[]; escaped: string[] }) => Promise<Surroundings | null>
  /** The facts are all but those of the gates. */
  gates: (context: ProofContext, facts: ProofFacts) => Promise<GateFact[]>
  judge: (facts: ProofFacts) => Judgement
  /** Writes bundle and attestation. What it has begun when QED is killed is undone by whoever is told `interrupted`. */
  seal: (sealed: { proof: Omit<Proof, 'bundle' | 'attestation'>; facts: ProofFacts }) => Promise<Pick<Proof, 'bundle' | 'attestation'>>
  log: ProofLog
  progress: (event: ProveProgress) => void
}

/** Written before what it tells about is acted on. */
export interface ProofLog {
  started: (job: Pick<ProveJob, 'proof' | 'terms' | 'run'>) => Promise<void>
  settled: (proof: Proof) => Promise<void>
  interrupted: (proof: ProofId, why: string) => Promise<void>
}

/** Measures the work and judges it. Whatever happens, its places are removed; without a verdict it is told as interrupted.
 *  Throws `cancelled` when the signal is given. */
export async function prove(job: ProveJob, parts: ProveParts): Promise<Proof> {
  const { git, state, clock } = parts
  const started_at = timestamp(clock)
  const record = openRecord(state, { proof: job.proof, git: git.folder })
  const places = createProofPlaces({ ...parts, record, keep: job.keep ?? false })
  try {
    await parts.log.started(job)
    const facts = await measure(job, parts, places)
    const unsealed = toProof({ proof: job.proof, facts, judgement: parts.judge(facts), started_at, ended_at: timestamp(clock) })
    job.signal?.throwIfAborted()
    const proof = { ...unsealed, ...(await parts.seal({ proof: unsealed, facts })) }
    await parts.log.settled(proof)
    return proof
  } catch (error) {
    const aborted = job.signal?.aborted === true
    await forgetProduced(git, job.proof)
    await parts.log.interrupted(job.proof, aborted ? 'cancelled' : error instanceof Error ? error.message : String(error))
    throw aborted ? new Cancelled('The proof') : error
  } finally {
    await places.close()
    record.close()
  }
}

async function measure(job: ProveJob, parts: ProveParts, places: ProofPlaces): Promise<ProofFacts> {
  const { git, progress } = parts
  const { terms, signal, given } = job
  const left = job.run === null ? NOTHING_LEFT : await parts.processes.endRun(job.run)
  const subject = await job.subject()
  const { base, result } = subject
  const { settings, prepare: command } = await parts.settings(base)
  const isTestSide = testSide(settings)
  const trees = await compareTrees(git, { base: base.tree, result: result.tree }, isTestSide)
  progress({ kind: 'captured', subject, changed: trees.changes.length })

  let prepared: Prepared | null = null
  const furnish: ProofContext['furnish'] = async place => {
    await parts.include(place)
    return prepared?.layer ? parts.mountLayer(place.path, prepared.layer) : { env: {}, layers: [] }
  }
  const context: ProofContext = { terms, settings, subject, trees, places, furnish, signal }
  const surroundings = await parts.surroundings(context, { ended: left.ended.map(named), escaped: left.escaped.map(named) })
  const verify_inputs = await parts.verifyInputs(context)
  const judges = judgesOf({ settings, verify_inputs })
  const isProtected: PathTest = path => judges.isProtected(path) || isManifest(path)
  const plan = planRuns({ ...terms.scope, ...trees, command: terms.command, isTestSide, isProtected, vary: settings.vary })
  progress({ kind: 'planned', plan })

  const { allow_dependencies } = terms.scope
  const sides = { base: { tree: base.tree, entries: trees.base }, result: { tree: result.tree, entries: trees.result } }
  prepared = await prepare({ command, ...sides, allow_dependencies }, { ...parts, signal })
  signal?.throwIfAborted()
  progress({ kind: 'prepared', prepare: prepared.fact })

  const able = prepared.fact.outcome !== 'failed'
  const runsJob = { base, result, trees, plan, command: terms.command, isTestSide, layer: prepared.fact.key }
  const facts: ProofFacts = {
    terms,
    settings,
    base,
    result,
    changes: trees.changes,
    left_out: subject.left_out,
    paths: { base: modes(trees.base), result: modes(trees.result) },
    verify_inputs,
    tests: trees.texts,
    runs: able ? await makeRuns(runsJob, { ...parts, places, furnish, signal }) : [],
    plan,
    prepare: prepared.fact,
    surroundings,
    gates: [],
    tree_at_end: null,
    ...given,
  }
  const gates = able ? await parts.gates(context, facts) : []
  return { ...facts, gates, tree_at_end: await subject.now() }
}

const NOTHING_LEFT = { ended: [], escaped: [] }
const isManifest = matchesAny(MANIFESTS, { nameAnywhere: true })

function named({ command }: { command: string }): string {
  return command
}

function modes(entries: Comparison['base']): Map<string, string> {
  return new Map(Array.from(entries.values(), ({ path, mode }) => [path, mode]))
}
