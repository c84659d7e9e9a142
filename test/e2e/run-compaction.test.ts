import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Event } from '../../src/kernel/event.ts'
import { workIn } from '../support/proving.ts'
import { BIN } from '../support/qed.ts'

const file = 'a line of some words\n'.repeat(40)
const SUMMARY = 'Goal\nx\nDone\nx\nDecisions\nx\nOpen\nx\nNext\nx'
const reads = Array.from({ length: 24 }, (_, n) => ({
  calls: [
    { name: 'read', arguments: { path: `src/f${n}.txt` } },
    { name: 'update', arguments: { status: 102, body: `step ${n}` } },
  ],
}))

test('C-78, L-40: killed with -9 after a compaction, a run goes on with exactly the messages that it had', async () => {
  const place = workIn(Object.fromEntries(reads.map((_, n) => [`src/f${n}.txt`, file])))
  await place.qed(['init'])
  const home = place.env['HOME'] ?? ''
  const script = (turns: object[]): void =>
    writeFileSync(
      join(home, 's.json'),
      JSON.stringify({
        scripts: { main: { turns, otherwise: { calls: [{ name: 'update', arguments: { status: 200, body: 'Done.' } }] } } },
      }),
    )
  script([{ when: { sees: 'Sum it up in at most', times: 9 }, text: SUMMARY }, ...reads, { delay_ms: 600_000 }])
  mkdirSync(join(home, '.config/qed'), { recursive: true })
  const small = { protocol: 'script', model: join(home, 's.json'), context: 7_000 }
  writeFileSync(join(home, '.config/qed/config.json'), JSON.stringify({ models: { small } }))
  const flags = ['--scope', '**', '--max-tokens', '500000', '--max-tool-calls', '90']
  const child = spawn(BIN, ['fix', 'read it all', '--model', 'small', ...flags], { cwd: place.root, env: place.env, stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const events = async (): Promise<Event[]> => (await place.json<{ items: Event[] }>(['events', 'list', '--limit', '1000', '--json'])).items
  const requests = (all: Event[]): Event[] => all.filter(({ type }) => type === 'turn.requested')
  await vi.waitUntil(async () => requests(await events()).length === 25, { timeout: 30_000, interval: 200 })
  child.kill('SIGKILL')
  await once(child, 'exit')
  const before = await events()
  expect(before.some(({ data }) => data['label'] === 'compaction')).toBe(true)

  script([])
  const { items } = await place.json<{ items: { alias: string }[] }>(['run', 'list', '--json'])
  const resumed = await place.json(['run', 'resume', items[0]?.alias ?? '', ...flags, '--json'])
  expect(resumed).toMatchObject({ text: 'Done.', run: { status: 'completed' } })
  const [again] = requests((await events()).slice(before.length))
  const { digest, messages } = requests(before).at(-1)?.data ?? {}
  expect(again?.data).toMatchObject({ digest, messages })
})
