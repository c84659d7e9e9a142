import { join } from 'node:path'
import type { Clock } from '../../kernel/clock.ts'
import type { Json } from '../../kernel/json.ts'
import { sha256 } from '../../kernel/sha256.ts'
import type { Git } from '../../sandbox/git/git.ts'
import { ATTESTATION, type Bundle, makeBundle, type Redact, redactAll } from '../evidence/bundle.ts'
import { patchOf } from '../evidence/diff.ts'
import { bundleName, type EvidencePlace } from '../evidence/place.ts'
import { writeBundle } from '../evidence/write-bundle.ts'
import type { ProofFacts } from '../facts.ts'
import type { Proof } from '../proof.ts'
import { signStatement } from './envelope.ts'
import { TreeUnsound } from './errors.ts'
import type { ProofKey } from './keys.ts'
import { measureTree } from './measure-tree.ts'
import { addToNotes } from './notes.ts'
import { type StatementInput, statementOf } from './statement.ts'
import { testResultOf } from './test-result.ts'

// Attesting: redact → bundle in memory → statement with the manifest's digest → sign → bundle on disk → notes. The event
// `proof.attested` is the caller's, last of all: broken off before it, there is no verdict (F-41).

export interface AttestInput extends Pick<StatementInput, 'environment' | 'policy' | 'log'> {
  /** Where the bundle is and who signed is filled in here. */
  proof: Omit<Proof, 'bundle' | 'attestation'>
  facts: ProofFacts
  brief: Json
  scope: { before: Json; after: Json } | null
  /** `--also test-result`. */
  alsoTestResult: boolean
  /** False: nothing is written, the envelope is only handed back (`--no-store`). */
  store: boolean
}

export interface AttestPorts {
  git: Git
  key: ProofKey
  place: EvidencePlace
  redact: Redact
  clock: Clock
  state: string
}

export interface Attested {
  proof: Proof
  /** One envelope each. */
  lines: string[]
  /** SHA-256 of the first line, for the log and for what follows in the same task. */
  envelope_sha256: string
}

export async function attestProof(input: AttestInput, ports: AttestPorts): Promise<Attested> {
  const { git, key, place, redact, clock, state } = ports
  const { result, base } = input.proof
  const measured = await measureTree(git, result.tree)
  if (measured.kind !== 'measured') throw new TreeUnsound(result.tree, measured.oid)
  const proof = redactAll(withPlaces(input, ports), redact)
  const diff = await patchOf(git, base.tree, result.tree)
  const bundle: Bundle = makeBundle({ ...input, proof, diff, policy: input.policy }, redact)
  const statement = statementOf({ ...input, proof, dirHash: measured.dirHash, manifest: bundle.digest })
  const clean = redactAll(statement, redact)
  const lines = [signStatement(clean, key)]
  if (input.alsoTestResult) lines.push(signStatement(testResultOf(clean), key))
  if (input.store) {
    writeBundle(join(place.proofs, proof.proof_id), bundle, lines)
    await addToNotes(git, { oids: [result.commit, result.tree], lines }, { clock, state })
  }
  return { proof, lines, envelope_sha256: sha256(lines[0] ?? '') }
}

function withPlaces({ proof, store }: AttestInput, { key, place }: AttestPorts): Proof {
  if (!store) return { ...proof, bundle: '', attestation: null }
  const bundle = bundleName(place, proof.proof_id)
  return { ...proof, bundle, attestation: { keyid: key.keyid, file: join(bundle, ATTESTATION) } }
}
