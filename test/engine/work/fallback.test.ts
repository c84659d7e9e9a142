import { describe, expect, test } from 'vitest'
import { done, goOn, working } from '../../support/working.ts'

const refuses = { error: { status: 401, message: 'no such key' } }
const reads = { calls: [{ name: 'read', arguments: { path: 'README.md' } }, goOn] }

describe('L-53 another model', () => {
  test('is asked when the chosen one fails and the person named it; it is written down, told, and stays', async () => {
    const { work, events, told } = working({
      scripts: { first: { turns: [reads, refuses, { text: 'back again' }] }, second: { turns: [reads, reads, { calls: [done] }] } },
      settings: { engine: { fallback: ['nowhere', 'second'] } },
    })
    const ran = await work({ prompt: 'Look.', model: 'first' })
    expect(ran).toMatchObject({ text: 'Done.', model: 'second', turns: 3, run: { status: 'completed' } })
    const second = { provider: 'script', provider_model: 'second', provider_host: 'script' }
    const change = {
      from: 'first',
      to: 'second',
      why: 'auth_missing: no such key',
      scripted: true,
      ...second,
      reservation: expect.objectContaining({ id: expect.any(Number) }),
    }
    expect(told.filter(({ type }) => type === 'model.changed')).toMatchObject([
      { seq: expect.any(Number), type: 'model.changed', data: change },
    ])
    const all = await events(ran.run.id)
    expect(all.filter(({ type }) => type === 'model.changed').map(({ data }) => data)).toEqual([change])
    // Written before the other model answers.
    const order = all.map(({ type }) => type).filter(type => type.startsWith('turn.') || type === 'model.changed')
    expect(order.slice(2, 5)).toEqual(['turn.requested', 'model.changed', 'turn.received'])
  })

  test('is never asked where nobody named one', async () => {
    const { work, events } = working({ scripts: { first: { turns: [refuses] }, second: { turns: [{ calls: [done] }] } } })
    const ran = await work({ prompt: 'Look.', model: 'first' })
    expect(ran.run).toMatchObject({ status: 'failed', outcome_reason: 'auth_missing: no such key' })
    expect((await events(ran.run.id)).filter(({ type }) => type === 'model.changed')).toEqual([])
  })

  test('gets no budget of its own, and does not help against one that is used up', async () => {
    const { work, events } = working({
      scripts: { first: { turns: [{ ...reads, usage: { input: 900, output: 10 } }] }, second: { turns: [{ calls: [done] }] } },
      settings: { engine: { fallback: ['second'] } },
    })
    const ran = await work({ prompt: 'Look.', model: 'first', max_tokens: 1_000 })
    expect(ran.run).toMatchObject({ outcome: 'budget' })
    expect((await events(ran.run.id)).filter(({ type }) => type === 'model.changed')).toEqual([])
  })

  test('C-76: that sees less gets a shorter conversation', async () => {
    const many = Array.from({ length: 12 }, (_, n) => ({
      calls: [
        { name: 'read', arguments: { path: `f${n}.txt` } },
        { ...goOn, arguments: { status: 102, body: `step ${n}` } },
      ],
    }))
    const summed = { when: { sees: 'Sum it up in at most' }, text: 'No.' }
    const { work, events } = working({
      files: Object.fromEntries(many.map((_, n) => [`f${n}.txt`, 'a line of words\n'.repeat(60)])),
      scripts: { wide: { turns: [...many, refuses] }, narrow: { context: 6_000, turns: [summed, ...many, reads, { calls: [done] }] } },
      settings: { engine: { fallback: ['narrow'] } },
    })
    const ran = await work({ prompt: 'Look.', model: 'wide', max_tokens: 500_000, max_tool_calls: 99 })
    expect(ran).toMatchObject({ text: 'Done.', model: 'narrow' })
    const changed = (await events(ran.run.id)).findIndex(({ type }) => type === 'model.changed')
    const compacted = (await events(ran.run.id)).findIndex(({ data }) => data['label'] === 'compaction')
    expect(compacted).toBeGreaterThan(changed)
  })
})
