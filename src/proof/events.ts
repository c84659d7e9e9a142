import * as z from 'zod'
import type { EventTypes } from '../kernel/event.ts'
import { attestEvents } from './attest/events.ts'
import { CAUSES } from './proof.ts'

/** Stream `proof:<proof_id>`: a proof that was started is settled or interrupted, never neither. */
export const proofEvents: EventTypes = {
  ...attestEvents,
  'proof.started': () =>
    z.strictObject({ proof: z.string(), command: z.string(), kind: z.string(), brief: z.string().nullable(), run: z.string().nullable() }),
  'proof.settled': () =>
    z.strictObject({
      proof: z.string(),
      verdict: z.enum(['proven', 'not_proven']),
      causes: z.array(z.enum(CAUSES)),
      commit: z.string(),
      tree: z.string(),
      bundle: z.string(),
    }),
  'proof.interrupted': () => z.strictObject({ proof: z.string(), why: z.string() }),
}
