import * as z from 'zod'

export const SEVERITIES = ['error', 'review', 'info'] as const
export type Severity = (typeof SEVERITIES)[number]

/** Someone else's word that a review finding is fine, with the reason. */
export const Acceptance = () =>
  z.strictObject({
    by: z.string().min(1),
    role: z.enum(['person', 'checker']),
    at: z.string(),
    reason: z.string().min(1),
  })
export type Acceptance = z.infer<ReturnType<typeof Acceptance>>

/** Something wrong that QED found. The hint says what to do next. */
export const Finding = () =>
  z.strictObject({
    id: z.string(),
    severity: z.enum(SEVERITIES),
    path: z.string().optional(),
    line: z.int().positive().optional(),
    said: z.string().optional(),
    measured: z.string().optional(),
    hint: z.string().min(1),
    accepted: Acceptance().optional(),
  })
export type Finding = z.infer<ReturnType<typeof Finding>>
