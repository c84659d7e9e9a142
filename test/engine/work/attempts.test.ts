import { expect, test } from 'vitest'
import { done, working } from '../../support/working.ts'

test('R-20: calls whose id comes again in a later turn are attempts of their own, each the first of its subject', async () => {
  const write = (path: string) => ({
    raw: `<tool_call>${JSON.stringify({ name: 'write', arguments: { path, content: 'x\n' } })}</tool_call>`,
  })
  const { work, call } = working({ scripts: { m: { turns: [write('a.txt'), write('b.txt'), { calls: [done] }] } } })
  const { run } = await work({ prompt: 'Write.', model: 'm' })
  const { items } = await call<{ items: { call: string; subject: string; sequence: number }[] }>('attempt.list', { run: run.id })
  expect(items.map(({ call: id, sequence }) => [id, sequence])).toEqual([
    ['call_1', 1],
    ['call_1', 1],
  ])
  expect(new Set(items.map(({ subject }) => subject)).size).toBe(2)
})
