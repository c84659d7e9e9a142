import { join } from 'node:path'
import type { RunId } from '../../kernel/ids.ts'
import type { IsolationInForce } from '../../kernel/isolation.ts'
import type { Json } from '../../kernel/json.ts'
import { newId } from '../../kernel/new-id.ts'
import type { ProcessOutcome, ProcessRef } from '../../sandbox/process/types.ts'
import { openRepository, type Repository } from '../capture/repository.ts'
import { subjectOfPlace } from '../capture/subject.ts'
import type { ProofFacts, Surroundings, TreeRef } from '../facts.ts'
import { type ProveProgress, prove } from '../prove.ts'
import { type Between, compareScopes } from '../surroundings/compare-scopes.ts'
import type { ScopeSnapshot } from '../surroundings/scope-snapshot.ts'
import { takeScope } from '../surroundings/take-scope.ts'
import type { ProofTerms } from '../terms.ts'
import { proveParts } from './parts.ts'
import type { ProofPorts } from './ports.ts'
import type { Proven } from './proofs.ts'
import { sealProof } from './seal.ts'

// Work of a run in its place: look around → let the worker work → end its processes → prove. What the worker said is compared
// with what was measured and decides nothing.

/** Where a run works, over the base that its brief names (F-3). */
interface RunPlace {
  path: string
  base: TreeRef
}

export interface RanCommand extends Pick<ProcessOutcome, 'ended' | 'escaped'> {
  command: string
  isolation: IsolationInForce
}

export interface ProveRunRequest
  extends Pick<ProofFacts, 'claim' | 'acceptances' | 'author' | 'canaries' | 'regressions'>,
    Pick<Surroundings, 'destructive'>,
    Pick<Between, 'own' | 'isSacred'> {
  run: RunId
  place: RunPlace
  terms: ProofTerms
  /** The brief as it is now, for the evidence, and its digest. */
  brief: { digest: string; content: Json }
  /** What `look` saw before the worker started. */
  before: ScopeSnapshot
  /** Every command that the run started, with what it left behind when it ended. */
  ran: readonly RanCommand[]
  signal?: AbortSignal
  progress?: (event: ProveProgress) => void
}

export interface RunProofs {
  /** F-5: to be called before the worker starts. */
  look: (place: RunPlace) => Promise<ScopeSnapshot>
  /** Ends what the run left behind, then measures and judges. Throws `cancelled` when the signal is given. */
  prove: (request: ProveRunRequest) => Promise<Proven>
}

/** Proofs of runs in places of the repository around a folder. */
export function createRunProofs(ports: ProofPorts): RunProofs {
  const repository = openRepository(ports.cwd, ports.sandbox.processes)
  return {
    look: place => lookAround(place, { ports, repository }),
    prove: request => proveRun(request, { ports, repository }),
  }
}

interface Here {
  ports: ProofPorts
  repository: Repository
}

async function lookAround({ path, base }: RunPlace, { ports, repository }: Here): Promise<ScopeSnapshot> {
  const { settings } = await proveParts(ports, repository).settings(base)
  return takeScope({
    git: repository.git,
    clock: ports.clock,
    place: path,
    checkout: repository.root,
    places: join(ports.sandbox.state, 'places'),
    base: base.commit,
    outputs: settings.outputs,
    home: ports.home,
    watch_outside: settings.watch_outside ?? [],
  })
}

async function proveRun(request: ProveRunRequest, here: Here): Promise<Proven> {
  const { ports, repository } = here
  const { run, place, terms, before, brief, ran, claim, acceptances, author, canaries, regressions } = request
  const proof = newId('prf', ports.clock)
  const inBackground = ports.sandbox.processes.running().filter(one => one.run_id === run)
  const left = { ended: [...inBackground, ...ran.flatMap(one => one.ended)], escaped: ran.flatMap(one => one.escaped) }
  let after: ScopeSnapshot | null = null
  let lines: string[] = []
  const done = await prove(
    {
      proof,
      terms,
      subject: () =>
        subjectOfPlace(
          { root: place.path, base: place.base },
          { git: repository.git, clock: ports.clock, state: ports.sandbox.state, proof },
        ),
      run,
      given: { brief_digest: brief.digest, claim, acceptances, author, canaries, regressions },
      ...(request.signal && { signal: request.signal }),
    },
    {
      ...proveParts(ports, repository),
      progress: request.progress ?? (() => undefined),
      surroundings: async (_context, { ended, escaped }) => {
        after = await lookAround(place, here)
        return compareScopes(before, after, {
          ended: [...new Set([...left.ended.map(nameOf), ...ended])],
          escaped: [...new Set([...left.escaped.map(nameOf), ...escaped])],
          destructive: request.destructive,
          own: request.own,
          isSacred: request.isSacred,
          commands: ran.map(({ command }) => command),
          sandboxed: ran.every(({ isolation }) => isolation.level === 'bubblewrap'),
        })
      },
      seal: async judged => {
        const scope = after && { before: before as unknown as Json, after: after as unknown as Json }
        const sealed = await sealProof(judged, { store: true, alsoTestResult: false, brief: brief.content, scope }, here)
        lines = sealed.lines
        return { bundle: sealed.proof.bundle, attestation: sealed.proof.attestation }
      },
    },
  )
  return { proof: done, lines }
}

function nameOf({ command }: Pick<ProcessRef, 'command'>): string {
  return command
}
