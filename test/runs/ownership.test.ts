import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { hold } from '../../src/engine/work/holding.ts'
import { askToEnd, endRequests } from '../../src/runs/end-request.ts'
import { StoreBusy } from '../../src/store/errors.ts'
import { handClock } from '../support/clock.ts'
import { drivenRun, owner, runRecords } from '../support/runs.ts'

const LEASE_MS = 30_000

/** Two processes on one store, the first of which drives a run. */
function twoProcesses() {
  const clock = handClock()
  const first = runRecords({ clock })
  return { clock, first, second: runRecords({ clock, path: first.path }), claim: drivenRun(first) }
}

describe('R-6, L-47: the right to drive a run', () => {
  test('belongs to one process while its lease lasts, by the clock of the store', () => {
    const { clock, second, claim } = twoProcesses()
    clock.advance(LEASE_MS - 1)
    expect(() => second.runs.claim(claim.run, owner(2))).toThrow(expect.objectContaining({ code: 'conflict' }))
    clock.advance(1)
    expect(second.runs.claim(claim.run, owner(2))).toEqual({ run: claim.run, fence: claim.fence + 1 })
  })

  test('conformance 4: every write of an owner that was overtaken is fence_lost and changes nothing', () => {
    const { clock, first, second, claim } = twoProcesses()
    const wanted = { subject: 's', call: 'a', executor: 'qed', operation_digest: 'd', effect: 'execute' as const, paths: [] }
    const attempt = first.attempts.reserve(claim, wanted)
    clock.advance(LEASE_MS)
    second.runs.claim(claim.run, owner(2))
    const before = second.head()
    const writes: (() => unknown)[] = [
      () => first.runs.renew(claim),
      () => first.runs.check(claim),
      () => first.runs.wait(claim),
      () => first.runs.finalize(claim, { status: 'completed' }),
      () => first.runs.fenced(claim, () => first.store.log.append(`run:${claim.run}`, 'error.recorded', { where: 'x', message: 'y' })),
      () => first.attempts.reserve(claim, { ...wanted, operation_digest: 'e' }),
      () => first.attempts.settle(claim, attempt.id, { status: 'succeeded' }),
    ]
    for (const write of writes) expect(write).toThrow(expect.objectContaining({ code: 'fence_lost' }))
    expect([second.head(), second.attempts.list(claim.run).map(({ status }) => status)]).toEqual([before, ['reserved']])
  })
})

describe('a process that drives a run', () => {
  test('R-30: hears that someone wants the run to end, and still has it to end it in good order', async () => {
    const { clock, first, second, claim } = twoProcesses()
    askToEnd(second.store.log, claim.run, { reason: 'before', actor: 'person:ann' })
    const held = hold(first.runs, claim, { clock, endRequest: endRequests(first.store.log, claim.run), lookMs: 5 })
    onTestFinished(held.release)
    await sleep(20)
    expect(held.ended.aborted).toBe(false)
    askToEnd(second.store.log, claim.run, { reason: 'enough', actor: 'person:ann' })
    await vi.waitUntil(() => held.ended.aborted, { timeout: 2_000, interval: 5 })
    expect([held.ended.reason, held.signal.aborted]).toEqual(['enough', false])
  })

  test('R-6: hears that the run was taken over, as the reason of its signal and not as an uncaught error', async () => {
    const { clock, first, second, claim } = twoProcesses()
    const held = hold(first.runs, claim, { clock, endRequest: () => null, lookMs: 5 })
    onTestFinished(held.release)
    await sleep(20)
    expect(held.signal.aborted).toBe(false)
    second.runs.claim(claim.run, owner(2), { fromAnyone: true })
    await vi.waitUntil(() => held.signal.aborted, { timeout: 2_000, interval: 5 })
    expect(held.signal.reason).toMatchObject({ code: 'fence_lost' })
  })

  test('renews while it works, so that nobody overtakes it', async () => {
    const { clock, first, second, claim } = twoProcesses()
    const held = hold(first.runs, claim, { clock, endRequest: () => null, lookMs: 5 })
    onTestFinished(held.release)
    for (let i = 0; i < 8; i++) {
      clock.advance(5_000)
      await sleep(20)
    }
    expect(() => second.runs.claim(claim.run, owner(2))).toThrow(expect.objectContaining({ code: 'conflict' }))
    expect(held.signal.aborted).toBe(false)
  })

  test('R-6: that cannot renew for 20 s begins nothing more; a shorter trouble is none', async () => {
    const { clock, first, claim } = twoProcesses()
    const renew = (): void => {
      throw new StoreBusy(first.path, 5_000, {})
    }
    const held = hold({ ...first.runs, renew }, claim, { clock, endRequest: () => null, lookMs: 5 })
    onTestFinished(held.release)
    clock.advance(19_999)
    await sleep(30)
    expect(held.signal.aborted).toBe(false)
    clock.advance(1)
    await vi.waitUntil(() => held.signal.aborted, { timeout: 2_000, interval: 5 })
    expect(held.signal.reason).toMatchObject({ code: 'unavailable' })
  })
})

test('R-30: a run is driven while its lease lasts, and can be taken from whoever drives it only on purpose', () => {
  const { clock, second, claim } = twoProcesses()
  expect(second.runs.isDriven(claim.run)).toBe(true)
  expect(() => second.runs.claim(claim.run, owner(2))).toThrow(expect.objectContaining({ code: 'conflict' }))
  expect(second.runs.claim(claim.run, owner(2), { fromAnyone: true })).toEqual({ run: claim.run, fence: claim.fence + 1 })
  clock.advance(LEASE_MS)
  expect(second.runs.isDriven(claim.run)).toBe(false)
})
