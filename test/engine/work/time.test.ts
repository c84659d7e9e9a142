import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { startTime } from '../../../src/engine/work/time.ts'
import { createApprovals } from '../../../src/runs/approvals.ts'
import { createRuns } from '../../../src/runs/runs.ts'
import { handClock } from '../../support/clock.ts'
import { done, goOn, working } from '../../support/working.ts'

test('L-38: the time of a run goes on while it works and stands still while it waits', async () => {
  const clock = handClock()
  const time = startTime(clock, Number.POSITIVE_INFINITY, () => undefined)
  clock.advance(300)
  expect(await time.standStill(() => Promise.resolve(clock.advance(5_000)).then(() => 'yes'))).toBe('yes')
  clock.advance(20)
  expect([time.take(), time.take()]).toEqual([320, 0])
  await expect(time.standStill(() => Promise.reject(new Error('no answer')))).rejects.toThrow('no answer')
  clock.advance(7)
  time.stop()
  clock.advance(1_000)
  expect(time.take()).toBe(7)
})

test('L-38: a run that waited longer for a person than it may work is not over', async () => {
  const write = { name: 'write', arguments: { path: 'a.txt', content: 'x\n' } }
  const { app, work } = working({ scripts: { main: { turns: [{ calls: [write] }, { calls: [done] }] } } })
  const running = work({ prompt: 'Write.', model: 'main', scope: [], wait_for_approval: true, max_seconds: 2 })
  const store = await app.projectStore()
  const runs = createRuns({ ...store, clock: app.clock, project: app.project().id })
  const approvals = createApprovals({ ...store, clock: app.clock, runs, ttl: null })
  const [asked] = await vi.waitFor(
    () => {
      const open = approvals.list({ status: 'pending' })
      expect(open).toHaveLength(1)
      return open
    },
    { timeout: 10_000 },
  )
  await sleep(2_500)
  approvals.cancel(asked?.id ?? '', 'nobody came')
  const { run } = await running
  expect(run).toMatchObject({ status: 'completed', outcome: 'unproven' })
  expect(await settledMs(app, run.id)).toBeLessThan(2_000)
})

test('L-40: the time of every turn is booked with its reply, so that a crash does not give it back', async () => {
  const turn = { delay_ms: 150, calls: [goOn] }
  const { app, work, told } = working({ scripts: { main: { turns: [turn, turn, { delay_ms: 1_000, calls: [done] }] } } })
  const running = work({ prompt: 'Look.', model: 'main' })
  const booked = await vi.waitFor(async () => {
    expect(told.filter(({ type }) => type === 'turn.received')).toHaveLength(2)
    return settledMs(app)
  })
  expect(booked).toBeGreaterThanOrEqual(300)
  await running
})

async function settledMs(app: ReturnType<typeof working>['app'], run?: string): Promise<number> {
  const { db } = await app.projectStore()
  const rows = db.all<{ id: string; settled: string }>("SELECT id, settled FROM budget_nodes WHERE id LIKE 'run_%'")
  const row = rows.find(({ id }) => run === undefined || id === run)
  return (JSON.parse(row?.settled ?? '{}') as { wallMs?: number }).wallMs ?? 0
}
