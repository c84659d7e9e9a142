import { join } from 'node:path'
import { expect, test } from 'vitest'
import { abandon } from '../../src/runs/abandon.ts'
import { openCalls } from '../../src/runs/history.ts'
import { rebuildLoop } from '../../src/runs/rebuild.ts'
import { createBlobs } from '../../src/store/blobs.ts'
import { temporaryFolder } from '../support/folders.ts'
import { drivenRun, runRecords } from '../support/runs.ts'

/** A run that was broken off under a command. */
function broken(subject = 'approval:apr_1') {
  const records = runRecords()
  const { store, attempts, runs } = records
  const claim = drivenRun(records)
  const write = (type: string, data: object): void => void store.log.append(`run:${claim.run}`, type, { ...data })
  const at = { loop: 1, turn: 0 }
  write('loop.started', { loop: 1, system: 'S', user: 'U', tools: [], budget: {}, continues: false })
  write('turn.requested', { ...at, messages: 2, digest: 'd', estimated: 1 })
  const calls = [{ id: 'a', name: 'bash', arguments: '{}' }]
  write('turn.received', {
    ...at,
    stop: 'tool_use',
    content: '',
    calls,
    tokens: 1,
    truncated: false,
    rejected: [],
    usage: null,
    retries: 0,
  })
  write('call.requested', { ...at, call: 'a', position: 0, name: 'bash', arguments: '{}' })
  const wanted = { subject, call: 'a', executor: 'qed', operation_digest: 'd', effect: 'execute' as const, paths: [] }
  const attempt = attempts.reserve(claim, wanted)
  write('call.reserved', { ...at, call: 'a', attempt: attempt.id, effect: 'execute', paths: [] })
  const events = () => store.log.list({ streams: [`run:${claim.run}`] }, 100)
  const how = { reason: 'lost power', actor: 'person:ann' }
  return {
    ...records,
    claim,
    attempt,
    events,
    abandon: (outcome: 'unknown' | 'not-started') => abandon(attempt, { ...how, outcome }, { log: store.log, runs, attempts }),
    settled: () => rebuildLoop(events(), createBlobs(join(temporaryFolder(), 'blobs')))?.settled,
  }
}

test('R-22: what nobody knows the end of is abandoned with who and why, and whoever goes on tells the model', () => {
  const at = broken()
  expect(at.abandon('unknown')).toMatchObject({
    id: at.attempt.id,
    status: 'abandoned',
    outcome: 'unknown',
    settled_at: expect.any(String) as string,
  })
  expect(at.events().at(-1)).toMatchObject({
    type: 'operation.execution',
    data: {
      status: 'abandoned',
      executorInvoked: false,
      outcome: 'unknown',
      actor: 'person:ann',
      reason: 'lost power',
      approval: 'apr_1',
      attempt: at.attempt.id,
    },
  })
  expect(at.settled()?.get('a')).toMatchObject({ ok: false, result: expect.stringContaining('not known whether this ran') as string })
  expect(openCalls(at.events())).toEqual([])
})

test('R-22: what a person knows was not begun may be begun by whoever goes on', () => {
  const at = broken('decision:r:a')
  expect(at.abandon('not-started')).toMatchObject({ status: 'abandoned', outcome: 'not-started' })
  expect(at.events().at(-1)?.data).toMatchObject({ outcome: 'not-started', approval: null })
  expect([at.settled()?.size, openCalls(at.events())]).toEqual([0, ['a']])
})

test('R-20, R-22: a settled attempt never changes, and nothing is written', () => {
  const at = broken()
  at.attempts.settle(at.claim, at.attempt.id, { status: 'succeeded' })
  const head = at.head()
  expect(() => at.abandon('unknown')).toThrow(expect.objectContaining({ code: 'conflict' }))
  expect([at.attempts.get(at.attempt.id).status, at.head()]).toEqual(['succeeded', head])
})

test('R-20: after it the same operation can be reserved again, as the next in its row', () => {
  const at = broken()
  const wanted = { subject: 'approval:apr_1', call: 'a', executor: 'qed', operation_digest: 'd', effect: 'execute' as const, paths: [] }
  expect(() => at.attempts.reserve(at.claim, wanted)).toThrow(expect.objectContaining({ code: 'conflict' }))
  at.abandon('unknown')
  expect(at.attempts.reserve(at.claim, wanted)).toMatchObject({ sequence: 2, status: 'reserved' })
})
