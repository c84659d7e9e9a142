import type { Json } from '../../kernel/json.ts'
import { canonicalJson } from '../../kernel/json.ts'
import { sha256 } from '../../kernel/sha256.ts'
import { version } from '../../kernel/version.ts'
import { type Attested, attestProof } from '../attest/attest.ts'
import { attestedData } from '../attest/events.ts'
import { openProofKey } from '../attest/keys.ts'
import type { StatementInput } from '../attest/statement.ts'
import type { Repository } from '../capture/repository.ts'
import { type EvidencePlace, evidencePlace } from '../evidence/place.ts'
import type { ProofFacts } from '../facts.ts'
import { PROTECTED_FILES, PROTECTED_KEYS, SHADOWING_FILES } from '../judges/protected-table.ts'
import type { Proof } from '../proof.ts'
import type { ProofPorts } from './ports.ts'

export interface SealOptions {
  /** False: nothing is written (`--no-store`). */
  store: boolean
  alsoTestResult: boolean
  brief?: Json
  scope?: { before: Json; after: Json } | null
}

/** Where the bundles of a repository lie. */
export function placeOf(ports: ProofPorts, { root, git }: Repository): EvidencePlace {
  return evidencePlace({ root, gitFolder: git.folder, hasQed: ports.project !== null }, ports.sandbox.state)
}

/** Writes bundle, notes and event of a proof that was judged. */
export async function sealProof(
  { proof, facts }: { proof: Omit<Proof, 'bundle' | 'attestation'>; facts: ProofFacts },
  { store, alsoTestResult, brief = null, scope = null }: SealOptions,
  { ports, repository }: { ports: ProofPorts; repository: Repository },
): Promise<Attested> {
  const { clock, sandbox, redact, project } = ports
  const task = facts.terms.brief?.task ?? null
  const head = project?.log.head() ?? null
  const attested = await attestProof(
    {
      proof,
      facts,
      brief,
      scope,
      alsoTestResult,
      store,
      environment: { os: process.platform, arch: process.arch, qed: version, git: await gitVersion(repository) },
      policy: policyOf(facts),
      log: head && { ...head, previous: task === null ? null : previousOf(ports, task) },
    },
    { git: repository.git, key: openProofKey(ports.personal), place: placeOf(ports, repository), redact, clock, state: sandbox.state },
  )
  if (store) project?.log.append(`proof:${proof.proof_id}`, 'proof.attested', attestedData(attested, task))
  return attested
}

/** What judged, as digests: the settings of the base and the tables of this program. */
function policyOf({ settings }: ProofFacts): StatementInput['policy'] {
  return {
    sha256: sha256(canonicalJson(settings)),
    protected_sha256: sha256(canonicalJson([PROTECTED_FILES, PROTECTED_KEYS, SHADOWING_FILES, settings.protect ?? []])),
    thresholds: Object.fromEntries(settings.gates.map(({ name, threshold }) => [name, threshold])),
  }
}

async function gitVersion({ git }: Repository): Promise<string> {
  return (await git.line(['version'])).replace(/^git version /, '')
}

function previousOf({ project }: ProofPorts, task: string): string | null {
  const attested = project?.log.list({ streams: ['proof:*'], types: ['proof.attested'] }, 100_000) ?? []
  return (attested.findLast(({ data }) => data['task'] === task)?.data['envelope_sha256'] as string | undefined) ?? null
}
