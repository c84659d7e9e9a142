import { join } from 'node:path'
import { setImmediate as nextRound } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { plainTranscript } from '../../src/engine/transcript.ts'
import type { QedError } from '../../src/kernel/errors.ts'
import { openCalls } from '../../src/runs/history.ts'
import { createRecorder } from '../../src/runs/recorder.ts'
import { createBlobs } from '../../src/store/blobs.ts'
import { temporaryFolder } from '../support/folders.ts'
import { drivenRun, owner, type RunRecords, runRecords } from '../support/runs.ts'

const code = (act: () => unknown): string | null => {
  try {
    act()
    return null
  } catch (error) {
    return (error as QedError).code
  }
}
const wanted = { subject: 's', call: 'a', executor: 'qed', operation_digest: 'd', effect: 'execute' as const, paths: [] }
const append = ({ store }: RunRecords, run: string, type: string, data: object) => store.log.append(`run:${run}`, type, data as never)
const saved = { loop: 1, turn: 0, label: 'turn', turnsUsed: 1, tokensUsed: 1, toolCallCount: 0, facts: null, frames: [], compaction: null }

describe('the record of a run', () => {
  test('R-4: a failure without a reason is refused, and nothing changes', () => {
    const one = runRecords()
    const claim = drivenRun(one)
    const before = one.head()
    expect(code(() => one.runs.finalize(claim, { status: 'failed' }))).toBe('invalid_input')
    expect(code(() => one.runs.finalize(claim, { status: 'failed', reason: '' }))).toBe('invalid_input')
    expect([one.head(), one.runs.get(claim.run).status]).toEqual([before, 'running'])
    expect(one.runs.finalize(claim, { status: 'failed', reason: 'x' })).toMatchObject({ outcome: 'error', outcome_reason: 'x' })
  })

  test('R-4: left out, the outcome is unproven, error or cancelled', () => {
    const outcomes = (['completed', 'failed', 'aborted'] as const).map(status => {
      const one = runRecords()
      return one.runs.finalize(drivenRun(one), { status, reason: 'x' }).outcome
    })
    expect(outcomes).toEqual(['unproven', 'error', 'cancelled'])
  })

  test('R-1: what is not in the table of moves does not happen', () => {
    const one = runRecords()
    const { id } = one.runs.create({ intent: 'x', kind: 'fix', mode: 'act', model: 'm' })
    const queued = { run: id as `run_${string}`, fence: 0 } as Parameters<typeof one.runs.wait>[0]
    expect(code(() => one.runs.wait(queued))).toBe('illegal_transition')
    expect(code(() => one.runs.finalize(queued, { status: 'completed' }))).toBe('illegal_transition')
    expect(one.types(id)).toEqual(['run.queued'])
  })

  test('R-9: a type that is not in the list is refused', () => {
    const one = runRecords()
    const { run } = drivenRun(one)
    expect(code(() => append(one, run, 'run.celebrated', {}))).toBe('invalid_input')
    expect(one.types(run)).toEqual(['run.queued', 'run.claimed'])
  })

  test('R-20: one attempt of an operation at a time; the next one of the same subject is counted on, and a settled one stays', () => {
    const one = runRecords()
    const claim = drivenRun(one)
    const first = one.attempts.reserve(claim, wanted)
    expect(code(() => one.attempts.reserve(claim, { ...wanted, subject: 'other' }))).toBe('conflict')
    one.attempts.settle(claim, first.id, { status: 'failed' })
    one.attempts.settle(claim, first.id, { status: 'succeeded' })
    expect(one.attempts.reserve(claim, wanted).sequence).toBe(2)
    expect(one.attempts.list(claim.run).map(({ status }) => status)).toEqual(['failed', 'reserved'])
  })

  test('R-27: the newest checkpoint is told wherever the run is', () => {
    const one = runRecords()
    const claim = drivenRun(one)
    expect(one.runs.get(claim.run).latest_checkpoint).toBeNull()
    append(one, claim.run, 'checkpoint.saved', saved)
    const { seq } = append(one, claim.run, 'checkpoint.saved', { ...saved, turn: 1 })
    expect(one.runs.list({ limit: 1 })[0]?.latest_checkpoint).toBe(seq)
    expect(one.runs.finalize(claim, { status: 'completed' }).latest_checkpoint).toBe(seq)
    expect(one.runs.get(claim.run).latest_checkpoint).toBe(seq)
  })

  test('what holds around its commands stands in the record and in the log', () => {
    const one = runRecords()
    const claim = drivenRun(one)
    one.runs.recordIsolation(claim, { level: 'bubblewrap' })
    expect(one.runs.get(claim.run)).toMatchObject({ isolation: { level: 'bubblewrap' }, status: 'running', fence: claim.fence })
    expect(one.types(claim.run).at(-1)).toBe('isolation.recorded')
  })
})

test('L-43: of the calls that a process left behind, those without a result are carried out anew', () => {
  const event = (type: string, call?: string) => ({
    seq: 1,
    stream: 's',
    type,
    at: '',
    prev: '',
    hash: '',
    data: { ...(call && { call }) },
  })
  const begun = [event('turn.received'), event('call.requested', 'a'), event('call.settled', 'a'), event('call.requested', 'b')]
  expect(openCalls(begun)).toEqual(['b'])
  expect(openCalls([...begun, event('run.resumed')])).toEqual([])
})

test('what was to be written soon and could not be: nothing more is recorded, and everything throws the same', () => {
  const one = runRecords()
  const claim = drivenRun(one)
  const blobs = createBlobs(join(temporaryFolder(), 'blobs'))
  const recorder = createRecorder({ ...one.store, runs: one.runs, claim, loop: 1, blobs, estimate: () => 1 })
  const before = one.types(claim.run)
  let tried = 0
  recorder.soon(() => {
    recorder.write('run.celebrated', {})
  })
  recorder.soon(() => void tried++)
  expect(code(() => recorder.together(() => tried++))).toBe('invalid_input')
  expect(code(() => recorder.write('error.recorded', { where: 'x', message: 'y' }))).toBe('invalid_input')
  expect([tried, one.types(claim.run), (recorder.broken() as QedError).code]).toEqual([0, before, 'invalid_input'])
})

test('R-6: an owner that is overtaken before it writes what it was to write soon changes nothing, and nothing goes on', async () => {
  const one = runRecords()
  const other = runRecords({ path: one.path })
  const claim = drivenRun(one)
  const blobs = createBlobs(join(temporaryFolder(), 'blobs'))
  const recorder = createRecorder({ ...one.store, runs: one.runs, claim, loop: 1, blobs, estimate: () => 1 })
  recorder.soon(() => void recorder.write('error.recorded', { where: 'x', message: 'late' }))
  other.runs.claim(claim.run, owner(2), { fromAnyone: true })
  const before = other.head()
  await nextRound()
  expect((recorder.broken() as QedError).code).toBe('fence_lost')
  expect(code(() => recorder.together(() => 1))).toBe('fence_lost')
  expect(other.head()).toBe(before)
})

test('R-8: a checkpoint before a compaction refers to the result that was to be written soon, and does not repeat it', async () => {
  const one = runRecords()
  const claim = drivenRun(one)
  const blobs = createBlobs(join(temporaryFolder(), 'blobs'))
  const recorder = createRecorder({ ...one.store, runs: one.runs, claim, loop: 1, blobs, estimate: () => 1 })
  const context = recorder.context(plainTranscript())
  const settled = { ...recorder.at(), turn: 0, call: 'c', attempt: null, ok: true, result: 'what it gave', duration_ms: 1, exit: null }
  recorder.soon(() => void recorder.write('call.settled', settled))
  context.append([{ role: 'tool', content: 'what it gave', toolCallId: 'c', toolName: 'read' }])
  recorder.turnEnded({ turnsUsed: 1, tokensUsed: 1, toolCallCount: 1 }, null)
  await recorder.compacting(context, () => Promise.resolve())
  const saved = one.store.log.last({ streams: [`run:${claim.run}`], types: ['checkpoint.saved'] })
  expect(saved?.data['frames']).toEqual([{ from: 'call', call: 'c' }])
})
