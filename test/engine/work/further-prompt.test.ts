import { describe, expect, test } from 'vitest'
import type { Event } from '../../../src/kernel/event.ts'
import { rebuildLoop } from '../../../src/runs/rebuild.ts'
import { chainDigest } from '../../../src/runs/recorder.ts'
import { done, working } from '../../support/working.ts'

// a run goes on with what a person says next, in a new loop of the same conversation.

const write = (path: string) => ({ name: 'write', arguments: { path, content: `${path}\n` } })
const says = (sees: string, ...calls: object[]) => ({ when: { sees }, calls })
const first = [{ calls: [write('a.txt')] }, { calls: [done] }]

interface Seen {
  run: { status: string; outcome: string; id: string }
  text: string
  turns: number
  tool_calls: number
  rounds: number
}

const at = (turns: object[], files = {}) => working({ files, scripts: { m: { turns } } })
const ofType = (events: readonly Event[], type: string) => events.filter(event => event.type === type)

async function expectRebuilt({ events, blobs }: ReturnType<typeof working>, run: string): Promise<Event[]> {
  const all = await events(run)
  const requests = all.flatMap((event, i) => (event.type === 'turn.requested' ? [{ digest: event.data['digest'], i }] : []))
  expect(requests.map(({ i }) => chainDigest()(rebuildLoop(all.slice(0, i), blobs())?.messages ?? []))).toEqual(
    requests.map(({ digest }) => digest),
  )
  return all
}

describe('L-59: what a run may spend when it goes on', () => {
  const begun = async () => {
    const place = at([...first, says('Also write b', write('b.txt')), { calls: [done] }])
    const { run } = await place.work({ prompt: 'Write a.', model: 'm', max_tool_calls: 6, max_seconds: 600 })
    return { place, run: run.id, prompt: 'Also write b.' }
  }

  test.each([
    { max_tool_calls: 7 },
    { max_seconds: 601 },
    // More than the kind has, though nobody named a limit before.
    { max_tokens: 50_001 },
    { max_tokens: 10, max_tool_calls: 7 },
  ])('a program cannot raise it (%o), and the run stays as it was', async terms => {
    const { place, run, prompt } = await begun()
    const before = await place.events(run)
    await expect(place.call('run.resume', { run, prompt, ...terms })).rejects.toMatchObject({ code: 'actor_not_person' })
    expect(await place.events(run)).toEqual(before)
  })

  test('a program may lower it, and cannot take that back; a person can', async () => {
    const { place, run, prompt } = await begun()
    const lowered = { max_tool_calls: 2, max_turns: 9 }
    expect(await place.call<Seen>('run.resume', { run, prompt, ...lowered })).toMatchObject({ run: { outcome: 'budget' }, tool_calls: 2 })
    for (const terms of [{ max_tool_calls: 6 }, { max_turns: 10 }])
      await expect(place.call('run.resume', { run, ...terms })).rejects.toMatchObject({ code: 'actor_not_person' })
    expect(await place.call<Seen>('run.resume', { run, max_tool_calls: 6 }, 'person')).toMatchObject({ run: { outcome: 'unproven' } })
    const { log } = await place.app.projectStore()
    const changes = log.list({ streams: ['budget'], types: ['budget.changed'] }, 10).map(({ data }) => data)
    expect(changes).toMatchObject([
      { caps: { toolCalls: 2, turns: 9 }, by: 'agent:cli' },
      { caps: { toolCalls: 6, turns: 9 }, by: expect.stringMatching(/^person:/) },
    ])
  })
})

describe('a further prompt', () => {
  test('goes on with a run that came to its end: the model has seen everything before it, and all of it is one run', async () => {
    const place = at([...first, says('Also write b', write('b.txt')), { calls: [done] }])
    const { run } = await place.work({ prompt: 'Write a.', model: 'm' })
    const more = await place.call<Seen>('run.resume', { run: run.id, prompt: 'Also write b.' })
    expect(more).toMatchObject({ run: { id: run.id, status: 'completed', outcome: 'unproven' }, turns: 4, tool_calls: 4, rounds: 1 })
    expect([place.read('a.txt'), place.read('b.txt')]).toEqual(['a.txt\n', 'b.txt\n'])
    const all = await expectRebuilt(place, run.id)
    expect(ofType(all, 'loop.started').map(({ data }) => [data['user'], data['continues'], data['round']])).toEqual([
      ['Write a.', false, 1],
      ['Also write b.', true, 1],
    ])
    const { items } = await place.call<{ items: object[] }>('run.list', {})
    expect(items).toHaveLength(1)
  })

  test.each([{ prompt: 'Also write b.' }, { run: 'Also write b.' }])('without a run means the newest one: %o', async said => {
    const place = at([...first, says('Also write b', write('b.txt')), { calls: [done] }])
    const { run } = await place.work({ prompt: 'Write a.', model: 'm' })
    expect(await place.call<Seen>('run.resume', said)).toMatchObject({ run: { id: run.id }, tool_calls: 4 })
  })

  test('has what the run has left of its budget, and no more', async () => {
    const place = at([...first, says('Also write b', write('b.txt'), write('c.txt')), { calls: [done] }])
    const { run } = await place.work({ prompt: 'Write a.', model: 'm', max_tool_calls: 3 })
    const more = await place.call<Seen>('run.resume', { run: run.id, prompt: 'Also write b.' })
    expect(more).toMatchObject({ run: { status: 'failed', outcome: 'budget' }, tool_calls: 3 })
    expect(place.read('b.txt')).toBe('b.txt\n')
    expect(() => place.read('c.txt')).toThrow('ENOENT')
  })

  test('R-1: an ended run is not begun anew without one', async () => {
    const place = at(first)
    const { run } = await place.work({ prompt: 'Write a.', model: 'm' })
    await expect(place.call('run.resume', { run: run.id })).rejects.toMatchObject({ code: 'not_resumable' })
    expect(await place.call('run.get', { run: run.id })).toMatchObject({ run: { status: 'completed' } })
  })

  test('L-6: calls of a turn that the budget ended are answered before the model hears it', async () => {
    const place = at([{ calls: [write('a.txt'), write('b.txt')] }, says('Not carried out', write('b.txt')), { calls: [done] }])
    const { run } = await place.work({ prompt: 'Write a and b.', model: 'm', max_tool_calls: 1 })
    expect(run).toMatchObject({ outcome: 'budget' })
    const more = await place.call<Seen>('run.resume', { run: run.id, prompt: 'Go on.', max_tool_calls: 9 }, 'person')
    expect(more).toMatchObject({ run: { outcome: 'unproven' }, tool_calls: 3 })
    const all = await expectRebuilt(place, run.id)
    const frames = rebuildLoop(all, place.blobs())?.messages ?? []
    const answered = frames.filter(({ role }) => role === 'tool').map(({ toolCallId }) => toolCallId)
    expect(answered).toEqual(frames.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id)))
  })

  test('a run that its budget ended goes on without further words when a person gives it more', async () => {
    const place = at([{ calls: [write('a.txt'), write('b.txt')] }, { calls: [write('b.txt')] }, { calls: [done] }])
    const { run } = await place.work({ prompt: 'Write a and b.', model: 'm', max_tool_calls: 1 })
    const more = await place.call<Seen>('run.resume', { run: run.id, max_tool_calls: 9 }, 'person')
    expect(more).toMatchObject({ run: { outcome: 'unproven' }, tool_calls: 3 })
  })

  test('one that was given no more stays as it is, and nobody tells the model that there is', async () => {
    const place = at([{ calls: [write('a.txt'), write('b.txt')] }, { calls: [done] }])
    const { run } = await place.work({ prompt: 'Write a and b.', model: 'm', max_tool_calls: 1 })
    const before = await place.events(run.id)
    for (const terms of [{}, { max_tokens: 60_000 }])
      await expect(place.call('run.resume', { run: run.id, ...terms }, 'person')).rejects.toMatchObject({
        code: 'not_resumable',
        next: { command: expect.stringMatching(/^qed run resume [0-9a-z]{8} --max-tool-calls <n>$/) },
      })
    expect(await place.events(run.id)).toEqual(before)
  })

  test('each prompt has its own rounds of proof, and its findings are its own', async () => {
    const check = { 'check.sh': 'test "$(cat a.txt)" = right\n' }
    const wrong = { name: 'write', arguments: { path: 'a.txt', content: 'wrong\n' } }
    const right = { name: 'write', arguments: { path: 'a.txt', content: 'right\n' } }
    const tries = Array.from({ length: 3 }, () => [{ calls: [wrong] }, { calls: [done] }]).flat()
    const place = at([...tries, says('Write right', wrong), { calls: [done] }, says('not proven', right), { calls: [done] }], check)
    const { run } = await place.work({ prompt: 'Write a.', model: 'm', scope: ['a.txt'], verify: 'sh check.sh', max_tool_calls: 99 })
    expect(run).toMatchObject({ outcome: 'not-proven' })
    const more = await place.call<Seen>('run.resume', { run: run.id, prompt: 'Write right.' })
    expect(more).toMatchObject({ run: { outcome: 'proven' }, rounds: 2 })
    const rounds = ofType(await expectRebuilt(place, run.id), 'loop.started').map(({ data }) => data['round'])
    expect(rounds).toEqual([1, 2, 3, 1, 2])
  })
})
