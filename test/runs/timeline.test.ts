import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/kernel/json.ts'
import { runEvents } from '../../src/runs/events.ts'
import { timelineOf } from '../../src/runs/timeline.ts'

const shown = (type: string, data: JsonObject = {}) => timelineOf({ seq: 7, stream: 'run:r', type, at: 'now', data, prev: '', hash: '' })
const kinds = (type: string, data?: JsonObject) => shown(type, data).map(({ kind }) => kind)

test.each([
  ['run.started', {}, ['run-started']],
  ['loop.stopped', {}, ['loop-stopped']],
  ['checkpoint.saved', {}, ['checkpoint-saved']],
  ['call.requested', {}, ['tool-call-requested']],
  ['call.decided', {}, ['permission-decision']],
  ['call.reserved', {}, ['attempt-reserved']],
  ['call.settled', { attempt: 'att_1', ok: true }, ['attempt-settled', 'tool-call-completed']],
  ['call.settled', { attempt: 'att_1', ok: false }, ['attempt-settled', 'tool-call-failed']],
  ['call.settled', { attempt: null, ok: true }, ['tool-call-completed']],
  ['turn.requested', {}, ['turn-started']],
  ['turn.received', {}, ['turn-stopped']],
  ['turn.failed', {}, ['turn-stopped']],
])('R-7: %s with %o is shown as %o', (type, data, expected) => expect(kinds(type, data)).toEqual(expected))

test('R-9: every type that a run can have has a kind, and no kind has a dot', () => {
  for (const type of Object.keys(runEvents)) expect(kinds(type, { attempt: null })[0]).toMatch(/^[a-z]+(-[a-z]+)+$/)
})

test.each([
  [{ actor: 'person:ann' }, 'person:ann'],
  [{ by: 'person:ann' }, 'person:ann'],
  [{ actor: 'recovery' }, 'recovery'],
  [{ actor: 'system' }, 'system'],
  [{ actor: 'agent:cli' }, 'agent:cli'],
  // Whose doing a snapshot is, and what asked for a secret, are other questions.
  [{ by: 'run' }, 'engine'],
  [{ by: 'mcp.files' }, 'engine'],
  [{}, 'engine'],
])('R-7: %o was done by %s', (data, actor) => expect(shown('run.undone', data)[0]?.actor).toBe(actor))

test('R-7: an event refers to what its data names, a decision and a checkpoint to themselves', () => {
  expect(shown('call.settled', { attempt: 'att_1', ok: true, call: 'c' })[0]?.refs).toEqual({ attempt: 'att_1' })
  expect(shown('call.decided', { approval: 'apr_1' })[0]?.refs).toEqual({ approval: 'apr_1', decision: 7 })
  expect(shown('call.decided', { approval: null })[0]?.refs).toEqual({ decision: 7 })
  expect(shown('checkpoint.saved')[0]?.refs).toEqual({ checkpoint: 7 })
  expect(shown('run.stopped', { proof: {} })[0]?.refs).toEqual({})
})
