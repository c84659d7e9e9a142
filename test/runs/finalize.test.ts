import { expect, test } from 'vitest'
import { drivenRun, owner, runRecords } from '../support/runs.ts'

const KEY = 'ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'

test('R-1, R-5: a run that waits for a person can fail: what it waits for is taken back with it', () => {
  const one = runRecords()
  const claim = drivenRun(one)
  const { id } = one.approvals.request(
    claim,
    {
      loop: 1,
      turn: 0,
      call: 'a',
      tool: 'bash',
      operation: { verb: 'process.exec', command: 'make', cwd: '/p' },
      operation_digest: 'digest',
      rule: 'defaults/ask',
      asked: '',
      preview: null,
      walls: '',
      bindings: [],
      offers: [{ answer: 'once' }],
    },
    () => ({ requested: 1, decided: 2 }),
  )
  expect(one.runs.get(claim.run).status).toBe('proposed')
  one.runs.finalize(claim, { status: 'failed', outcome: 'budget', reason: 'wall_ms: over' })
  expect(one.runs.get(claim.run)).toMatchObject({ status: 'failed', outcome: 'budget' })
  expect(one.approvals.get(id)).toMatchObject({ status: 'cancelled', reason: 'run-finalised' })
})

test('L-37: the record of a run holds no secret, neither of its prompt nor of the reason of its end', () => {
  const { runs, store } = runRecords()
  const { id } = runs.create({ intent: `use ${KEY}`, kind: 'fix', mode: 'act', model: 'script:x' })
  runs.finalize(runs.claim(id, owner(1)), { status: 'failed', reason: `failed: bad key ${KEY}` })
  expect(runs.get(id)).toMatchObject({ intent: 'use ***REDACTED***', outcome_reason: 'failed: bad key ***REDACTED***' })
  expect(JSON.stringify(store.db.all('SELECT * FROM runs'))).not.toContain(KEY)
})
