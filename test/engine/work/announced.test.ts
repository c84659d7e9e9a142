import { describe, expect, test } from 'vitest'
import type { Egress } from '../../../src/runs/egress.ts'
import { done, goOn, working } from '../../support/working.ts'

const reads = { calls: [{ name: 'read', arguments: { path: 'README.md' } }, goOn] }
const reserved = { id: expect.any(Number), tokens: expect.any(Number) }

describe('L-37 turn.requested', () => {
  test('names the reservation that was made for it, a new one for each turn', async () => {
    const { work, events } = working({ scripts: { m: { turns: [reads, { calls: [done] }] } } })
    const ran = await work({ prompt: 'Look.', model: 'm' })
    const requested = (await events(ran.run.id)).filter(({ type }) => type === 'turn.requested').map(({ data }) => data)
    expect(requested).toMatchObject([{ reservation: reserved }, { reservation: reserved }])
    const [first, second] = requested.map(({ reservation, estimated }) => ({ ...(reservation as typeof reserved), estimated }))
    expect(first?.id).not.toBe(second?.id)
    // L-57: the prompt and the longest reply that there is room for.
    expect(first?.tokens).toBeGreaterThan(Number(first?.estimated))
  })

  test('I-13: a request that the budget refused names none, and nothing of it was sent', async () => {
    const { work, events, call } = working({ scripts: { m: { turns: [{ calls: [done] }] } } })
    const ran = await work({ prompt: 'Look.', model: 'm', max_tokens: 300 })
    expect(ran).toMatchObject({ run: { outcome: 'budget' }, turns: 1, egress: { files: 0, bytes: 0 } })
    const turns = (await events(ran.run.id)).filter(({ type }) => type.startsWith('turn.')).map(({ type, data }) => [type, data])
    expect(turns).toMatchObject([
      ['turn.requested', { turn: 0, reservation: null }],
      ['turn.failed', { turn: 0, code: 'budget' }],
    ])
    expect(await call<Egress>('run.egress', { run: ran.run.id })).toMatchObject({ providers: [], files: [], other: [] })
  })

  test('I-13: a turn that the budget refused sends nothing more than those before it', async () => {
    const { work, call } = working({ scripts: { m: { turns: [{ ...reads, usage: { input: 5_000, output: 100 } }, { calls: [done] }] } } })
    const ran = await work({ prompt: 'Look.', model: 'm', max_tokens: 5_400 })
    expect(ran).toMatchObject({ run: { outcome: 'budget' }, turns: 2 })
    const { providers, files } = await call<Egress>('run.egress', { run: ran.run.id })
    expect([providers, files]).toEqual([[{ provider: 'script', model: 'm', requests: 1 }], []])
  })
})

test('L-37: turn.received holds what the dialect remarked about the reply', async () => {
  const { work, events } = working({
    scripts: { m: { turns: [{ raw: '<tool_call>{"name":"read","arguments":{"path":"README.md",}}</tool_call>' }, { calls: [done] }] } },
  })
  const ran = await work({ prompt: 'Look.', model: 'm' })
  const received = (await events(ran.run.id)).filter(({ type }) => type === 'turn.received').map(({ data }) => data['warnings'])
  expect(received[0]).toEqual([{ code: 'json_repaired', message: expect.any(String), at: expect.any(Number) }])
  expect(received[1]).toEqual([])
})
