import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Event } from '../../src/kernel/event.ts'
import { workIn } from '../support/proving.ts'
import { BIN } from '../support/qed.ts'

test('L-53: a change of the model is shown to the person, and a run that was killed after it stays with the other one', async () => {
  const place = workIn({ 'a.txt': 'a\n' })
  await place.qed(['init'])
  const home = place.env['HOME'] ?? ''
  const file = join(home, 's.json')
  const refused = { turns: [{ error: { status: 403, message: 'not today' } }] }
  const script = (second: object): void => writeFileSync(file, JSON.stringify({ scripts: { first: refused, second } }))
  script({ turns: [{ delay_ms: 600_000 }] })
  mkdirSync(join(home, '.config/qed'), { recursive: true })
  const alias = (name: string) => ({ protocol: 'script', model: `${file}#${name}` })
  const settings = { models: { first: alias('first'), second: alias('second') }, engine: { fallback: ['second'] } }
  writeFileSync(join(home, '.config/qed/config.json'), JSON.stringify(settings))
  const child = spawn(BIN, ['explain', 'what is here', '--model', 'first'], { cwd: place.root, env: place.env })
  onTestFinished(() => void child.kill('SIGKILL'))
  let shown = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (shown += chunk.toString()))
  await vi.waitUntil(() => shown.includes('going on with second'), { timeout: 20_000 })
  expect(shown).toContain('first failed (auth_missing: not today); going on with second (scripted, no real model)')
  child.kill('SIGKILL')
  await once(child, 'exit')

  script({ turns: [{ text: 'A file.' }] })
  const { items } = await place.json<{ items: { alias: string }[] }>(['run', 'list', '--json'])
  expect(await place.json(['run', 'resume', items[0]?.alias ?? '', '--json'])).toMatchObject({ text: 'A file.', model: 'second' })
  const events = await place.json<{ items: Event[] }>(['events', 'list', '--limit', '1000', '--json'])
  expect(events.items.filter(({ type }) => type === 'model.changed')).toHaveLength(1)
})
