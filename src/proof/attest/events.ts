import * as z from 'zod'
import type { EventTypes } from '../../kernel/event.ts'
import type { JsonObject } from '../../kernel/json.ts'
import type { Attested } from './attest.ts'

/** Streams `proof:<proof_id>`: the third place of an attestation (F-33). The digest is what a later check compares. */
export const attestEvents: EventTypes = {
  'proof.attested': () =>
    z.strictObject({
      proof_id: z.string(),
      verdict: z.enum(['proven', 'not_proven']),
      commit: z.string(),
      tree: z.string(),
      task: z.string().nullable(),
      keyid: z.string(),
      envelope_sha256: z.string(),
      /** Null where it is too long for the log; the bundle has it. */
      envelope: z.string().nullable(),
    }),
}

const MOST_ENVELOPE = 256 << 10

export function attestedData({ proof, lines, envelope_sha256 }: Attested, task: string | null): JsonObject {
  const [envelope = ''] = lines
  return {
    proof_id: proof.proof_id,
    verdict: proof.verdict,
    commit: proof.result.commit,
    tree: proof.result.tree,
    task,
    keyid: proof.attestation?.keyid ?? '',
    envelope_sha256,
    envelope: envelope.length > MOST_ENVELOPE ? null : envelope,
  }
}
