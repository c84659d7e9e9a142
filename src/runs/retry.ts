// whether an approved operation may be tried once more. Pure: nothing is written, reserved or carried out.
import type { Approval } from './approval.ts'
import type { Attempt } from './attempt.ts'

type Status = Attempt['status']

export const RETRY_KINDS = ['never', 'after-abandoned', 'after-failure', 'after-failure-or-abandoned'] as const
type RetryKind = (typeof RETRY_KINDS)[number]
export type RetryPolicy = RetryKind | { kind: RetryKind; max_attempts: number }

/** After which end of the latest attempt another one may follow. */
const RETRYABLE: Readonly<Record<RetryKind, readonly Status[]>> = {
  never: [],
  'after-abandoned': ['abandoned'],
  'after-failure': ['failed'],
  'after-failure-or-abandoned': ['failed', 'abandoned'],
}

const REASONS = {
  'no-previous-attempt': 'It was not tried yet.',
  'retry-allowed': 'The policy allows another attempt after the latest one.',
  'approval-not-approved': 'No person has approved it.',
  'approval-not-resumable': 'Nothing waits for this approval to be carried out.',
  'active-reserved': 'An attempt is reserved and not settled.',
  'already-succeeded': 'It was done already.',
  'failed-not-retryable': 'The latest attempt failed, and the policy does not allow another one after that.',
  'abandoned-not-retryable': 'The latest attempt was abandoned, and the policy does not allow another one after that.',
  'max-attempts': 'As many attempts exist as the policy allows.',
} as const
export const RETRY_CODES = Object.keys(REASONS) as RetryCode[]
type RetryCode = keyof typeof REASONS

const BLOCKED: Readonly<Record<Status, RetryCode>> = {
  reserved: 'active-reserved',
  succeeded: 'already-succeeded',
  failed: 'failed-not-retryable',
  abandoned: 'abandoned-not-retryable',
}

export interface RetryCheck {
  allowed: boolean
  reason_code: RetryCode
  reason: string
  evaluated_attempts: number
  retryable_statuses: Status[]
  latest: Attempt | null
  active: Attempt | null
}

/** `attempts`: those of the approval, in their order. */
export function checkRetry(approval: Approval, attempts: readonly Attempt[], policy: RetryPolicy): RetryCheck {
  const { kind, max_attempts } = typeof policy === 'string' ? { kind: policy, max_attempts: Number.POSITIVE_INFINITY } : policy
  const latest = attempts.at(-1) ?? null
  const reason_code = codeOf(approval, { latest, isFull: attempts.length >= max_attempts, retryable: RETRYABLE[kind] })
  return {
    allowed: reason_code === 'no-previous-attempt' || reason_code === 'retry-allowed',
    reason_code,
    reason: REASONS[reason_code],
    evaluated_attempts: attempts.length,
    retryable_statuses: [...RETRYABLE[kind]],
    latest,
    active: attempts.find(({ status }) => status === 'reserved') ?? null,
  }
}

function codeOf(
  { status, pending_execution }: Approval,
  { latest, isFull, retryable }: { latest: Attempt | null; isFull: boolean; retryable: readonly Status[] },
): RetryCode {
  if (status !== 'approved') return 'approval-not-approved'
  if (pending_execution === null) return 'approval-not-resumable'
  if (latest && !retryable.includes(latest.status)) return BLOCKED[latest.status]
  if (isFull) return 'max-attempts'
  return latest ? 'retry-allowed' : 'no-previous-attempt'
}
