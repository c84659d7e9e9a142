import { expect, test } from 'vitest'
import { done, working } from '../../support/working.ts'

test('L-37: a call is written down with its place in the reply, also behind one that never ran', async () => {
  const read = { name: 'read', arguments: { path: 'README.md' } }
  const { work, events } = working({
    scripts: { main: { turns: [{ calls: [read, { name: 'nope', arguments: {} }, { name: 'ls', arguments: {} }] }, { calls: [done] }] } },
  })
  const { run } = await work({ prompt: 'Look.', model: 'main' })
  const requested = (await events(run.id)).filter(({ type }) => type === 'call.requested').map(({ data }) => data)
  expect(requested.map(({ turn, position, name }) => [turn, position, name])).toEqual([
    [0, 0, 'read'],
    [0, 2, 'ls'],
    [1, 0, 'update'],
  ])
})
