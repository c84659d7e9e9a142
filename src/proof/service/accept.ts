import { join } from 'node:path'
import { timestamp } from '../../kernel/clock.ts'
import { Conflict, NotFound } from '../../kernel/errors.ts'
import type { Acceptance } from '../../kernel/finding.ts'
import { newId } from '../../kernel/new-id.ts'
import { sha256 } from '../../kernel/sha256.ts'
import { signStatement } from '../attest/envelope.ts'
import { attestedData } from '../attest/events.ts'
import { openProofKey } from '../attest/keys.ts'
import { addToNotes } from '../attest/notes.ts'
import type { Statement } from '../attest/statement.ts'
import { trustedKeys } from '../attest/trust.ts'
import type { Repository } from '../capture/repository.ts'
import { readLine } from '../check/read-line.ts'
import { ATTESTATION, bundleOf } from '../evidence/bundle.ts'
import { bundleName } from '../evidence/place.ts'
import { checkBundle, readAttestation, readFiles } from '../evidence/read-bundle.ts'
import { writeBundle } from '../evidence/write-bundle.ts'
import type { Proof } from '../proof.ts'
import type { ProofPorts } from './ports.ts'
import { placeOf } from './seal.ts'

export interface AcceptRequest {
  finding: string
  path?: string | undefined
  reason: string
  by: string
}

/** The same facts with one more acceptance: a new proof, with a bundle and an attestation of its own. The old ones stay. */
export async function acceptFinding(
  { proof, folder }: { proof: Proof; folder: string },
  request: AcceptRequest,
  { ports, repository }: { ports: ProofPorts; repository: Repository },
): Promise<Proof> {
  const { clock, sandbox, personal, project } = ports
  const before = signedStatement(folder, ports)
  const at = timestamp(clock)
  const place = placeOf(ports, repository)
  const key = openProofKey(personal)
  const proof_id = newId('prf', clock)
  const bundle = bundleName(place, proof_id)
  const next: Proof = {
    ...withAcceptance(proof, request, { by: request.by, role: 'person', at, reason: request.reason }),
    proof_id,
    bundle,
    attestation: { keyid: key.keyid, file: join(bundle, ATTESTATION) },
    ended_at: at,
  }
  const files = readFiles(folder)
  files.set('proof.json', `${JSON.stringify(next, null, 2)}\n`)
  files.set('findings.json', `${JSON.stringify({ items: next.findings }, null, 2)}\n`)
  const evidence = bundleOf(files)
  const head = project?.log.head() ?? null
  const line = signStatement(restated(before.statement, next, { manifest: evidence.digest, head, previous: before.sha256 }), key)
  writeBundle(join(place.proofs, proof_id), evidence, [line])
  await addToNotes(repository.git, { oids: [next.result.commit, next.result.tree], lines: [line] }, { clock, state: sandbox.state })
  const attested = { proof: next, lines: [line], envelope_sha256: sha256(line) }
  project?.log.append(`proof:${proof_id}`, 'proof.attested', attestedData(attested, before.statement.predicate.brief?.task ?? null))
  return next
}

/** What was signed about a bundle, if both are as they were. */
function signedStatement(folder: string, { personal }: ProofPorts): { statement: Statement; sha256: string } {
  const [line = ''] = (readAttestation(folder) ?? '').split('\n')
  const reading = readLine(line, trustedKeys(personal))
  if (reading.kind !== 'signed')
    throw new Conflict('The attestation of this proof is not valid here, so nothing can be built on it.', { details: { folder } })
  const sound = checkBundle(folder, reading.statement.predicate.evidence.manifest.sha256)
  if (sound.kind !== 'sound')
    throw new Conflict('The evidence of this proof was changed, so nothing can be built on it.', { details: { folder } })
  return reading
}

/** F-28: only a review finding can be accepted, and every other cause stays. */
export function withAcceptance(proof: Proof, { finding, path }: Pick<AcceptRequest, 'finding' | 'path'>, acceptance: Acceptance): Proof {
  const fits = (one: Proof['findings'][number]): boolean =>
    one.id === finding && one.severity === 'review' && one.accepted === undefined && (path === undefined || one.path === path)
  if (!proof.findings.some(fits)) {
    const open = proof.findings.filter(({ severity, accepted }) => severity === 'review' && accepted === undefined).map(({ id }) => id)
    throw new NotFound(`The proof has no review finding ${finding} that waits for an answer.`, {
      details: { finding, open },
      next: { command: `qed proof show ${proof.proof_id}`, why: open.length > 0 ? `These wait: ${open.join(', ')}.` : 'None waits.' },
    })
  }
  const findings = proof.findings.map(one => (fits(one) ? { ...one, accepted: acceptance } : one))
  const waits = findings.some(({ severity, accepted }) => severity === 'review' && accepted === undefined)
  const causes = proof.causes.filter(cause => cause !== 'review' || waits)
  return { ...proof, findings, causes, verdict: causes.length === 0 ? 'proven' : 'not_proven' }
}

function restated(
  statement: Statement,
  { verdict, causes, findings, ended_at }: Proof,
  { manifest, head, previous }: { manifest: string; head: { seq: number; hash: string } | null; previous: string },
): Statement {
  return {
    ...statement,
    predicate: {
      ...statement.predicate,
      verdict,
      causes,
      ended_at,
      findings: findings.map(({ id, severity, path, accepted }) => ({
        id,
        severity,
        ...(path !== undefined && { path }),
        ...(accepted && { accepted }),
      })),
      evidence: { manifest: { sha256: manifest } },
      log: head && { ...head, previous },
    },
  }
}
