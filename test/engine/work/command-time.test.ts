import { expect, test } from 'vitest'
import { done, goOn, working } from '../../support/working.ts'

test('S-2, U-45: a command has the time of shell.timeout_ms, unless it asks for another', async () => {
  const bash = (more: object) => ({ calls: [{ name: 'bash', arguments: { command: 'sleep 1; echo late', ...more } }, goOn] })
  const turns = [bash({}), bash({ timeout_s: 20 }), { calls: [done] }]
  const { work, events } = working({ scripts: { m: { turns } }, settings: { shell: { timeout_ms: 300 } } })
  const { run } = await work({ prompt: 'Wait.', model: 'm' })
  const told = (await events(run.id)).flatMap(({ type, data }) =>
    type === 'call.settled' && typeof data['result'] === 'string' && data['result'].startsWith('<data') ? [data['result']] : [],
  )
  expect(told).toEqual([
    '<data from="bash">\nIt did not end within 0.3 s and was stopped. If it needs longer, pass timeout_s (at most 3600); a program that waits for a person or serves for ever cannot be run here.\n</data>',
    '<data from="bash">\nlate\n</data>',
  ])
})
