/** §10: every way a check can end, with its exit code. */
export const CHECK_OUTCOMES = {
  valid: 0,
  'not-proven': 6,
  tampered: 1,
  stale: 6,
  'rerun-red': 6,
  'unknown-signer': 4,
  'policy-unmet': 4,
  missing: 3,
  unmeasured: 9,
} as const satisfies Record<string, number>

export type CheckOutcome = keyof typeof CHECK_OUTCOMES

/** F-35: what is looked at, in this order; the first that does not hold decides. */
export type CheckStep =
  | 'parse'
  | 'payload-type'
  | 'signature'
  | 'signer'
  | 'statement'
  | 'subject'
  | 'evidence'
  | 'log'
  | 'verdict'
  | 'require'
  | 'rerun'
