import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { PathEffect } from '../../src/runs/attempt.ts'
import { rebuildLoop } from '../../src/runs/rebuild.ts'
import { settleOpen } from '../../src/runs/settle-open.ts'
import { createBlobs } from '../../src/store/blobs.ts'
import { temporaryFolder } from '../support/folders.ts'
import { drivenRun, runRecords } from '../support/runs.ts'

const UNKNOWN = 'Error: Interrupted: it is not known whether this ran. Check before repeating it.'

/** A run that was broken off in its first turn, with these attempts under way. */
function broken(open: { call: string; effect: 'write' | 'execute'; paths?: PathEffect[] }[]) {
  const records = runRecords()
  const { store, attempts, runs } = records
  const claim = drivenRun(records)
  const write = (type: string, data: object): void => void store.log.append(`run:${claim.run}`, type, { ...data })
  write('loop.started', { loop: 1, system: 'S', user: 'U', tools: [], budget: {}, continues: false })
  write('turn.requested', { loop: 1, turn: 0, messages: 2, digest: 'd', estimated: 1 })
  const calls = open.map(({ call }) => ({ id: call, name: 'bash', arguments: '{}' }))
  const reply = { stop: 'tool_use', content: '', calls, tokens: 1, truncated: false, rejected: [], usage: null, retries: 0 }
  write('turn.received', { loop: 1, turn: 0, ...reply })
  for (const { call, effect, paths = [] } of open) {
    const wanted = { subject: `decision:${claim.run}:${call}`, call, executor: 'qed', operation_digest: call, effect, paths }
    const { id } = attempts.reserve(claim, wanted)
    write('call.reserved', { loop: 1, turn: 0, call, attempt: id, effect, paths })
  }
  const settle = (now: (path: string) => string | null = () => null) =>
    toldOf(settleOpen(claim, { log: store.log, runs, attempts, digestNow: now }))
  const rebuilt = () => rebuildLoop(store.log.list({}, 100), createBlobs(join(temporaryFolder(), 'blobs')))?.settled
  return { ...records, claim, settle, rebuilt }
}

const toldOf = (found: ReturnType<typeof settleOpen>) =>
  new Map(found.flatMap(({ attempt, told }) => (told ? [[attempt.call, told] as const] : [])))

describe('R-23: what a process left under way', () => {
  test('a command is told as unknown, in the log, so that a second crash finds it there', () => {
    const { settle, rebuilt, attempts, claim } = broken([{ call: 'functions.bash:0', effect: 'execute' }])
    const told = new Map([['functions.bash:0', { ok: false, result: UNKNOWN }]])
    expect(settle()).toEqual(told)
    expect(rebuilt()).toEqual(told)
    expect(attempts.list(claim.run)).toMatchObject([{ status: 'abandoned', outcome: 'unknown' }])
    expect([settle().size, rebuilt()]).toEqual([0, told])
  })

  test('a write that was done counts as done; one that was not begun leaves its call open', () => {
    const path = { path: '/p/a', before: 'old', after: 'new' }
    const done = broken([{ call: 'a', effect: 'write', paths: [path] }])
    expect(done.settle(() => 'new')).toEqual(new Map([['a', { ok: true, result: 'Done before the interruption.' }]]))
    const open = broken([{ call: 'a', effect: 'write', paths: [path] }])
    expect([open.settle(() => 'old').size, open.rebuilt()?.size]).toEqual([0, 0])
    expect(open.attempts.list(open.claim.run)).toMatchObject([{ status: 'abandoned', outcome: 'not-started' }])
  })

  test('an owner that was overtaken settles nothing', () => {
    const { settle, runs, claim, attempts } = broken([{ call: 'a', effect: 'execute' }])
    runs.claim(claim.run, { machine: 'elsewhere', boot: 'b', pid: 1, pid_started_at: '1', surface: 'cli' })
    expect(() => settle()).toThrow(expect.objectContaining({ code: 'fence_lost' }))
    expect(attempts.open(claim.run)).toHaveLength(1)
  })
})
