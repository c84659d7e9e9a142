import * as z from 'zod'

export const ATTEMPT_STATUSES = ['reserved', 'succeeded', 'failed', 'abandoned'] as const

/** What a path held, by digest; null: nothing was there. */
const PathEffect = () => z.strictObject({ path: z.string(), before: z.string().nullable(), after: z.string().nullable() })
export type PathEffect = z.infer<ReturnType<typeof PathEffect>>

/** One reserved, then settled, execution. */
export const Attempt = () =>
  z.strictObject({
    id: z.string(),
    run: z.string(),
    /** `decision:<run>:<loop>.<turn>:<call>`, for an id may come again in a later turn, or `approval:<id>`. */
    subject: z.string(),
    call: z.string(),
    sequence: z.int(),
    status: z.enum(ATTEMPT_STATUSES),
    executor: z.string(),
    operation_digest: z.string(),
    fence: z.int(),
    effect: z.enum(['write', 'execute']),
    paths: z.array(PathEffect()),
    result: z.json(),
    outcome: z.enum(['known', 'unknown', 'not-started']),
    reserved_at: z.string(),
    settled_at: z.string().nullable(),
  })
export type Attempt = z.infer<ReturnType<typeof Attempt>>
