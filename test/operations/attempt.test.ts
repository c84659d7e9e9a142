import { expect, test } from 'vitest'
import { runRecords } from '../../src/operations/run-house.ts'
import { createAttempts } from '../../src/runs/attempts.ts'
import { owner } from '../support/runs.ts'
import { done, working } from '../support/working.ts'

const scripts = { main: { turns: [{ calls: [{ name: 'write', arguments: { path: 'a.txt', content: 'x\n' } }] }, { calls: [done] }] } }
type Listed = { items: { id: string; run: string; status: string }[] }

/** A project with a run that is done, and one that a process drives and has something reserved in. */
async function scene() {
  const place = working({ scripts })
  const { run } = await place.work({ prompt: 'Write.', model: 'main' })
  const { runs, store } = await runRecords(place.app)
  const other = runs.create({ intent: 'x', kind: null, mode: 'act', model: null })
  const claim = runs.claim(other.id, owner(1))
  const wanted = { subject: 's', call: 'c', executor: 'qed', operation_digest: 'd', effect: 'execute' as const, paths: [] }
  const attempt = createAttempts({ ...store, clock: place.app.clock, runs }).reserve(claim, wanted)
  return { ...place, run, attempt, head: () => store.log.head()?.hash }
}

test('attempts are listed for all runs, for one, and by how they stand', async () => {
  const { call, run, attempt } = await scene()
  const of = async (filter: object) => (await call<Listed>('attempt.list', filter)).items.map(item => [item.run, item.status])
  expect(await of({})).toEqual([
    [run.id, 'succeeded'],
    [attempt.run, 'reserved'],
  ])
  expect(await of({ run: run.id.slice(-8).toLowerCase() })).toEqual([[run.id, 'succeeded']])
  expect(await of({ status: 'reserved' })).toEqual([[attempt.run, 'reserved']])
  expect(await of({ limit: 1 })).toEqual([[attempt.run, 'reserved']])
})

test('R-22: only a person gives an attempt up, and while its run is driven only on purpose', async () => {
  const { call, attempt, head } = await scene()
  const before = head()
  const given = { attempt: attempt.id, reason: 'enough' }
  await expect(call('attempt.abandon', given)).rejects.toMatchObject({ code: 'actor_not_person' })
  await expect(call('attempt.abandon', given, 'person')).rejects.toMatchObject({ code: 'conflict' })
  await expect(call('attempt.abandon', { ...given, attempt: 'att_nobody' }, 'person')).rejects.toMatchObject({ code: 'not_found' })
  expect(head()).toBe(before)
  expect(await call('attempt.abandon', { ...given, force: true }, 'person')).toMatchObject({ status: 'abandoned', outcome: 'unknown' })
  await expect(call('attempt.abandon', { ...given, force: true }, 'person')).rejects.toMatchObject({ code: 'conflict' })
})

test('conformance 5: run.retry-check leaves the log as it is; what is no policy is refused', async () => {
  const { call, app, head } = await scene()
  const { store, runs } = await runRecords(app)
  const { createApprovals } = await import('../../src/runs/approvals.ts')
  const approvals = createApprovals({ ...store, clock: app.clock, runs, ttl: null })
  const run = runs.create({ intent: 'y', kind: null, mode: 'act', model: null })
  const asked = { loop: 1, turn: 0, call: 'a', tool: 'bash', operation: {}, operation_digest: 'd', rule: 'r', asked: 'why' }
  const { id } = approvals.request(runs.claim(run.id, owner(1)), { ...asked, preview: null, walls: '', bindings: [], offers: [] }, () => ({
    requested: 1,
    decided: 2,
  }))
  const before = head()
  expect(await call('run.retry-check', { approval: id.slice(-8) })).toMatchObject({ allowed: false, reason_code: 'approval-not-approved' })
  expect(await call('run.retry-check', { approval: id, policy: { kind: 'after-failure', max_attempts: 2 } })).toMatchObject({
    retryable_statuses: ['failed'],
    evaluated_attempts: 0,
    latest: null,
  })
  for (const policy of ['always', { kind: 'never' }, { kind: 'never', max_attempts: 0 }, 3])
    await expect(call('run.retry-check', { approval: id, policy })).rejects.toMatchObject({ code: 'invalid_input' })
  expect(head()).toBe(before)
})
