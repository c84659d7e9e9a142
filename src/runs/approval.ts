import * as z from 'zod'

export const APPROVAL_STATUSES = ['pending', 'approved', 'rejected', 'cancelled'] as const
/** why an ask ends that was pending when its run ended. */
export const RUN_FINALISED = 'run-finalised'
/** How far an answer reaches: this one call, this run, this project. */
export const REMEMBER = ['once', 'run', 'project'] as const
export type Remember = (typeof REMEMBER)[number]

const JsonRecord = () => z.record(z.string(), z.json())

/** What stood at a path when it was judged. */
const Binding = () =>
  z.strictObject({
    path: z.string(),
    real: z.string(),
    device: z.number(),
    inode: z.number(),
    type: z.enum(['file', 'folder', 'link', 'device', 'fifo', 'socket']).nullable(),
  })
export type Binding = z.infer<ReturnType<typeof Binding>>

/** A rule as a policy file holds it. */
const KeptRule = () => z.object({ id: z.string() }).catchall(z.json())
export type KeptRule = z.infer<ReturnType<typeof KeptRule>>

const Offer = () =>
  z.strictObject({
    answer: z.enum(['once', 'run', 'project', 'reject']),
    rules: z.array(KeptRule()).optional(),
    file: z.string().optional(),
    would_newly_allow: z.array(z.string()).optional(),
  })

/** A person's answer to an ask, from the moment it is asked for. It is bound to one call of one run and to the digest of what
 *  that call would do; resolved once, it never changes. */
export const Approval = () =>
  z.strictObject({
    id: z.string(),
    run: z.string(),
    loop: z.int(),
    turn: z.int(),
    call: z.string(),
    tool: z.string(),
    /** The event of the decision that asked. */
    decision: z.int(),
    /** The event of the call that waits; null where nothing does. */
    pending_execution: z.int().nullable(),
    operation: JsonRecord(),
    operation_digest: z.string(),
    rule: z.string(),
    /** Why policy asks. */
    asked: z.string(),
    /** The beginning of what would be written or sent, where the operation does not say it. */
    preview: z.string().nullable(),
    /** What would hold around it. */
    walls: z.string(),
    bindings: z.array(Binding()),
    offers: z.array(Offer()),
    status: z.enum(APPROVAL_STATUSES),
    remember: z.enum(REMEMBER).nullable(),
    /** Rules that the answer made, for the run and what comes after it. */
    rules: z.array(KeptRule()),
    actor: z.string().nullable(),
    reason: z.string().nullable(),
    requested_at: z.string(),
    resolved_at: z.string().nullable(),
    expires_at: z.string().nullable(),
    signature: z.string().nullable(),
  })
export type Approval = z.infer<ReturnType<typeof Approval>>
