import { expect, test } from 'vitest'
import { runRecords } from '../../src/operations/run-house.ts'
import { thisProcess } from '../../src/runs/owner.ts'
import { done, goOn, working } from '../support/working.ts'

const write = { name: 'write', arguments: { path: 'a.txt', content: 'x\n' } }
const scripts = { main: { turns: [{ calls: [write, goOn] }, { calls: [done] }] } }

interface Seen {
  run: { alias: string; latest_checkpoint: number; isolation: object | null }
  events: { seq: number }[]
  next?: number
  checkpoints: { seq: number; label: string; loop: number; turn: number }[]
}

test('R-11: a run is shown with its checkpoints, and its events page by page', async () => {
  const { work, call } = working({ scripts })
  const { run } = await work({ prompt: 'Write.', model: 'main' })
  const first = await call<Seen>('run.get', { run: run.id, limit: 4 })
  expect([first.events.length, first.next]).toEqual([4, first.events[3]?.seq])
  const rest = await call<Seen>('run.get', { run: run.id, after: first.next, limit: 1000 })
  expect(rest.next).toBeUndefined()
  expect(rest.events[0]?.seq).toBeGreaterThan(first.next ?? 0)
  expect(rest.checkpoints).toMatchObject([
    { label: 'turn', loop: 1, turn: 0 },
    { label: 'turn', loop: 1, turn: 1 },
  ])
  expect(rest.run.latest_checkpoint).toBe(rest.checkpoints[1]?.seq)
  expect(rest.run.isolation).not.toBeNull()
})

test('R-7: each event has its kind, who did it, and what it refers to', async () => {
  const { work, call } = working({ scripts })
  const { run } = await work({ prompt: 'Write.', model: 'main' })
  const { events } = await call<{ events: { kind: string; actor: string; refs: object }[] }>('run.get', { run: run.id, limit: 1000 })
  const told = (kind: string) => events.find(event => event.kind === kind)
  expect([told('run-queued'), told('run-claimed')]).toMatchObject([{ actor: 'agent:cli' }, { actor: 'engine' }])
  const attempt = expect.stringMatching(/^att_/) as string
  expect([told('permission-decision'), told('attempt-reserved'), told('attempt-settled'), told('tool-call-completed')]).toMatchObject([
    { refs: { decision: expect.any(Number) as number } },
    { refs: { attempt } },
    { refs: { attempt } },
    { refs: { attempt } },
  ])
})

test('R-2, R-3: runs are listed by states in the words and numbers of other programs too', async () => {
  const { work, call, app } = working({ scripts })
  const { run } = await work({ prompt: 'Write.', model: 'main' })
  const { runs } = await runRecords(app)
  const ended = runs.create({ intent: 'x', kind: null, mode: 'act', model: null })
  runs.finalize(runs.claim(ended.id, thisProcess('cli')), { status: 'failed', outcome: 'blocked', reason: 'no key' })
  const listed = async (status: unknown) => (await call<{ items: { id: string }[] }>('run.list', { status })).items.map(({ id }) => id)
  expect(await Promise.all([200, '200', 'completed', 'blocked', 500, 'cancelled', 'planned'].map(listed))).toEqual([
    [run.id],
    [run.id],
    [run.id],
    [ended.id],
    [ended.id],
    [],
    [],
  ])
  for (const status of [403, 'nonsense']) await expect(listed(status)).rejects.toMatchObject({ code: 'invalid_input' })
})

test('snapshots of a run are found by its alias as well', async () => {
  const { work, call } = working({ scripts })
  const { run } = await work({ prompt: 'Write.', model: 'main' })
  const of = async (name: string) => (await call<{ items: { ref: string }[] }>('snapshot.list', { run: name })).items.map(({ ref }) => ref)
  const byId = await of(run.id)
  expect(byId.length).toBeGreaterThan(0)
  expect(await of(run.id.slice(-8).toLowerCase())).toEqual(byId)
  expect(await of('nobody')).toEqual([])
})

test.each(['plan', 'explain'])('I-1: %s changes nothing, so there is nothing to prove and no place to write in', async kind => {
  const { work, app } = working({ scripts })
  for (const flag of [{ verify: 'npm test' }, { isolated: true }]) {
    await expect(work({ prompt: 'x', kind, model: 'main', ...flag })).rejects.toMatchObject({ code: 'invalid_input' })
  }
  expect((await app.projectStore()).log.list({ types: ['run.queued'] }, 10)).toEqual([])
})
