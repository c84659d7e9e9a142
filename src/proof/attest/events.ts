import * as z from 'zod'
import type { EventTypes } from '../../kernel/event.ts'

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
