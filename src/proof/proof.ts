import * as z from 'zod'
import { Finding } from '../kernel/finding.ts'

export const CAUSES = ['interrupted', 'environment', 'verify', 'findings', 'review', 'gates'] as const
export type Cause = (typeof CAUSES)[number]

const TreeRef = () => z.strictObject({ commit: z.string(), tree: z.string() })
const TestCounts = () => z.strictObject({ ran: z.int(), passed: z.int(), failed: z.int(), skipped: z.int() })

/** What was measured of one tree and what follows from it: what `qed prove --json` prints and a bundle keeps. */
export const Proof = () =>
  z.strictObject({
    proof_id: z.string(),
    verdict: z.enum(['proven', 'not_proven']),
    causes: z.array(z.enum(CAUSES)),
    base: TreeRef(),
    result: TreeRef(),
    command: z.strictObject({
      shell: z.string(),
      text: z.string(),
      kind: z.enum(['red-green', 'guard']),
      timeout_s: z.int(),
      network: z.boolean(),
      repeat: z.int(),
    }),
    runs: z.array(
      z.strictObject({
        name: z.string(),
        n: z.int(),
        tree: z.string(),
        exit: z.int().nullable(),
        signal: z.string().optional(),
        reason: z.string().optional(),
        duration_ms: z.number(),
        tests: TestCounts().optional(),
        stdout_sha256: z.string(),
        stderr_sha256: z.string(),
        /** Taken over from an earlier proof of the same base. */
        reused: z.literal(true).optional(),
      }),
    ),
    findings: z.array(Finding()),
    gates: z.array(z.strictObject({ name: z.string(), score: z.number(), threshold: z.number(), passed: z.boolean() })),
    scope: z.strictObject({ owned: z.array(z.string()), changed: z.array(z.string()) }),
    /** OS, tools, preparation, isolation as it really was, what was not measured, and the places that were kept for a look. */
    environment: z.record(z.string(), z.json()),
    bundle: z.string(),
    attestation: z.strictObject({ keyid: z.string(), file: z.string() }).nullable(),
    started_at: z.string(),
    ended_at: z.string(),
  })
export type Proof = z.infer<ReturnType<typeof Proof>>
