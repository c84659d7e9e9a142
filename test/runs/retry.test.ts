import { describe, expect, test } from 'vitest'
import type { Approval } from '../../src/runs/approval.ts'
import type { Attempt } from '../../src/runs/attempt.ts'
import { checkRetry, RETRY_KINDS, type RetryPolicy } from '../../src/runs/retry.ts'

const approved = { status: 'approved', pending_execution: 4 } as Approval
const tried = (...statuses: Attempt['status'][]) => statuses.map((status, i) => ({ status, sequence: i + 1 }) as Attempt)
const code = (attempts: Attempt[], policy: RetryPolicy, approval = approved) => checkRetry(approval, attempts, policy).reason_code

describe('R-24: the whole table', () => {
  test.each([
    ['none', [], ['no-previous-attempt', 'no-previous-attempt', 'no-previous-attempt', 'no-previous-attempt']],
    ['reserved', tried('reserved'), ['active-reserved', 'active-reserved', 'active-reserved', 'active-reserved']],
    ['succeeded', tried('succeeded'), ['already-succeeded', 'already-succeeded', 'already-succeeded', 'already-succeeded']],
    ['failed', tried('failed'), ['failed-not-retryable', 'failed-not-retryable', 'retry-allowed', 'retry-allowed']],
    ['abandoned', tried('abandoned'), ['abandoned-not-retryable', 'retry-allowed', 'abandoned-not-retryable', 'retry-allowed']],
  ])('latest attempt %s', (_words, attempts, codes) => {
    expect(RETRY_KINDS.map(kind => code(attempts, kind))).toEqual(codes)
    const allowed = RETRY_KINDS.map(kind => checkRetry(approved, attempts, kind).allowed)
    expect(allowed).toEqual(codes.map(word => word === 'no-previous-attempt' || word === 'retry-allowed'))
  })

  test('only the latest attempt counts', () => {
    expect(code(tried('abandoned', 'failed'), 'after-failure')).toBe('retry-allowed')
    expect(code(tried('failed', 'abandoned'), 'after-failure')).toBe('abandoned-not-retryable')
  })

  test('an approval that is not approved, or that nothing waits for, comes before the table', () => {
    const rejected = { ...approved, status: 'rejected' } as Approval
    expect(code(tried('reserved'), 'never', rejected)).toBe('approval-not-approved')
    expect(code(tried('reserved'), 'never', { ...approved, pending_execution: null })).toBe('approval-not-resumable')
    expect(code([], 'never', { ...rejected, pending_execution: null })).toBe('approval-not-approved')
  })

  test('how many there may be comes after it', () => {
    const most = (max_attempts: number): RetryPolicy => ({ kind: 'after-failure', max_attempts })
    expect(code(tried('failed', 'failed'), most(2))).toBe('max-attempts')
    expect(code(tried('failed', 'failed'), most(3))).toBe('retry-allowed')
    expect(code(tried('failed', 'abandoned'), most(2))).toBe('abandoned-not-retryable')
    expect(code([], most(1))).toBe('no-previous-attempt')
  })

  test('the answer names what was looked at', () => {
    const attempts = tried('failed', 'reserved')
    expect(checkRetry(approved, attempts, { kind: 'after-failure-or-abandoned', max_attempts: 5 })).toEqual({
      allowed: false,
      reason_code: 'active-reserved',
      reason: expect.any(String) as string,
      evaluated_attempts: 2,
      retryable_statuses: ['failed', 'abandoned'],
      latest: attempts[1],
      active: attempts[1],
    })
  })
})
