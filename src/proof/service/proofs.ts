import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { NotFound } from '../../kernel/errors.ts'
import { isId, type ProofId } from '../../kernel/ids.ts'
import { newId } from '../../kernel/new-id.ts'
import type { PreparedLayer } from '../../sandbox/place/layer.ts'
import { openProofKey, type PublicKey } from '../attest/keys.ts'
import { rotateProofKey, trustedKeys } from '../attest/trust.ts'
import { type Captured, captureTree } from '../capture/capture-tree.ts'
import { requireRevision, resolveRevision } from '../capture/choose.ts'
import { openRepository, type Repository, seemChanged, unshownPaths } from '../capture/repository.ts'
import { type Asked, forgetProduced, type Subject, subjectOfCheckout, subjectOfPlace } from '../capture/subject.ts'
import { type CheckRequest, type CheckResult, checkProof } from '../check/check.ts'
import { storeLog } from '../check/store-log.ts'
import { readProof } from '../evidence/read-bundle.ts'
import type { FindingAcceptance } from '../facts.ts'
import { settleInterrupted } from '../places/records.ts'
import type { Proof } from '../proof.ts'
import { type ProveParts, type ProveProgress, prove } from '../prove.ts'
import type { ProofTerms } from '../terms.ts'
import { type AcceptRequest, acceptFinding } from './accept.ts'
import { proveParts, silentLog } from './parts.ts'
import type { ProofPorts } from './ports.ts'
import { type Preparing, preparedLayer } from './prepared-layer.ts'
import { rerunStatement } from './rerun.ts'
import { placeOf, sealProof } from './seal.ts'

interface ProveRequest extends Asked {
  /** The place in which a run worked, over `base`; left out, the checkout. */
  place?: string
  terms: ProofTerms
  acceptances: FindingAcceptance[]
  keep: boolean
  store: boolean
  alsoTestResult: boolean
  /** Measures also in another time and place. */
  vary: boolean
  signal: AbortSignal
  progress: (event: ProveProgress) => void
}

/** A proof of the work in a repository, and what was signed. */
export interface Proven {
  proof: Proof
  /** One envelope each. */
  lines: string[]
}

export interface Proofs {
  /** Throws `usage` outside a repository, `cancelled` when stopped. */
  run: (request: ProveRequest) => Promise<Proven>
  /** Newest first. */
  list: () => Proof[]
  /** By id, commit or tree. Throws `not_found`. */
  find: (name: string) => Promise<{ proof: Proof; folder: string }>
  /** A review finding that someone else looked at. Throws `not_found` where none waits. */
  accept: (name: string, request: AcceptRequest) => Promise<Proof>
  check: (request: CheckRequest & { trust?: string | undefined; signal: AbortSignal }) => Promise<CheckResult>
  /** Paths of the checkout that are not as HEAD has them, as a proof would see it, of those that matter. */
  changes: (matters: (path: string) => boolean) => Promise<string[]>
  /** The dependencies of a commit, for a place in which somebody works; null where there are none to be had. */
  layer: (base: string, on: Preparing) => Promise<PreparedLayer | null>
  key: () => PublicKey
  rotate: () => PublicKey & { retired: string }
}

/** Proofs of the repository around a folder. */
export function createProofs(ports: ProofPorts): Proofs {
  const { clock, sandbox, personal } = ports
  const open = (): Repository => openRepository(ports.cwd, sandbox.processes)
  const list: Proofs['list'] = () => proofsIn(placeOf(ports, open()).proofs)
  const find: Proofs['find'] = name => {
    const repository = open()
    return findProof(name, { repository, proofs: placeOf(ports, repository).proofs })
  }
  return {
    run: request => proveCheckout(request, ports, open()),
    list,
    find,
    accept: async (name, request) => acceptFinding(await find(name), request, { ports, repository: open() }),
    check: async ({ trust, signal, ...request }) => {
      const repository = open()
      return checkProof(request, {
        git: repository.own,
        cwd: ports.cwd,
        clock,
        trusted: trustedKeys(personal, trust),
        proofs: [placeOf(ports, repository).proofs],
        log: ports.project && storeLog(ports.project.log),
        capture: () => captureCheckout(ports, repository),
        rerun: statement => rerunStatement(statement, { ports, repository, signal }),
      })
    },
    changes: async matters => {
      const repository = open()
      // Nearly always there is none, and a proof's look at every file would keep whoever asks waiting.
      if (!(await seemChanged(repository)).some(matters)) return []
      const { tree } = await captureCheckout(ports, repository)
      const { text } = await repository.own.call(['diff-tree', '-r', '-z', '--no-renames', '--name-only', 'HEAD', tree])
      return text.split('\0').filter(path => path !== '' && matters(path))
    },
    layer: (base, on) => preparedLayer(base, on, { ports, repository: open() }),
    key: () => {
      const { keyid, public_key } = openProofKey(personal)
      return { keyid, public_key }
    },
    rotate: () => {
      const { key, retired } = rotateProofKey(personal, clock)
      return { keyid: key.keyid, public_key: key.public_key, retired }
    },
  }
}

/** The files of the checkout as they are now. */
async function captureCheckout(ports: ProofPorts, repository: Repository): Promise<Captured> {
  const { git, own, root } = repository
  const head = await resolveRevision(own, 'HEAD')
  const excludes = ports.excludes === undefined ? {} : { excludes: ports.excludes }
  const unshown = await unshownPaths(repository)
  return captureTree({ git, root, state: ports.sandbox.state, tracked: head?.tree ?? '', unshown, leaveSetUp: true, ...excludes })
}

/** What is to be proven: the work in a place, or in the checkout. */
async function subjectOf(
  { place, ...asked }: ProveRequest,
  { ports, repository, proof }: { ports: ProofPorts; repository: Repository; proof: ProofId },
): Promise<Subject> {
  const { git, own } = repository
  const options = { git, clock: ports.clock, state: ports.sandbox.state, proof }
  if (place === undefined) return subjectOfCheckout(repository, { ...asked, excludes: ports.excludes }, options)
  return subjectOfPlace({ root: place, base: await requireRevision(own, asked.base ?? 'HEAD') }, options)
}

/** One proof of the checkout, from what a killed one left to what was signed. */
async function proveCheckout(request: ProveRequest, ports: ProofPorts, repository: Repository): Promise<Proven> {
  const { clock } = ports
  const parts = proveParts(ports, repository)
  await settleLeft(repository, ports, parts)
  const proof = newId('prf', clock)
  let lines: string[] = []
  const done = await prove(
    {
      proof,
      terms: request.terms,
      subject: () => subjectOf(request, { ports, repository, proof }),
      run: null,
      given: { brief_digest: null, regressions: [], claim: null, acceptances: request.acceptances, author: null, canaries: [] },
      keep: request.keep,
      signal: request.signal,
    },
    {
      ...parts,
      log: request.store ? parts.log : silentLog,
      progress: request.progress,
      surroundings: () => Promise.resolve(null),
      settings: async base => {
        const found = await parts.settings(base)
        return request.vary ? { ...found, settings: { ...found.settings, vary: true } } : found
      },
      seal: async judged => {
        const sealed = await sealProof(judged, request, { ports, repository })
        lines = sealed.lines
        return { bundle: sealed.proof.bundle, attestation: sealed.proof.attestation }
      },
    },
  )
  // With `--no-store` nothing of it stays, its ref included.
  if (!request.store) await forgetProduced(repository.git, proof)
  return { proof: done, lines }
}

async function findProof(name: string, { repository, proofs }: { repository: Repository; proofs: string }): ReturnType<Proofs['find']> {
  const wanted = isId('prf', name) ? null : await resolveRevision(repository.own, name)
  const fits = (proof: Proof): boolean =>
    proof.proof_id === name ||
    (wanted === null ? proof.result.tree === name : proof.result.commit === wanted.commit || proof.result.tree === wanted.tree)
  const proof = proofsIn(proofs).find(fits)
  if (proof) return { proof, folder: join(proofs, proof.proof_id) }
  throw new NotFound(`There is no proof of ${name} here.`, {
    details: { name },
    next: { operation: 'proof.list', command: 'qed proof list', why: 'It lists the proofs of this repository.' },
  })
}

/** F-41: a proof that was killed has no verdict, and leaves nothing. */
async function settleLeft(
  repository: Repository,
  { sandbox }: ProofPorts,
  { takeBack, log }: Pick<ProveParts, 'takeBack' | 'log'>,
): Promise<void> {
  await settleInterrupted({ state: sandbox.state, git: repository.git.folder }, async proof => {
    await takeBack(proof)
    await log.interrupted(proof, 'its process was killed')
  })
}

function proofsIn(folder: string): Proof[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter(name => isId('prf', name))
    .sort()
    .reverse()
    .flatMap(name => readProof(join(folder, name)) ?? [])
}
