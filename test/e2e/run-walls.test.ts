import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Event } from '../../src/kernel/event.ts'
import { UNDONE, workIn } from '../support/proving.ts'
import { BIN, qed } from '../support/qed.ts'

const BWRAP = execFileSync('sh', ['-c', 'command -v bwrap'], { encoding: 'utf8' }).trim()
const HIDDEN = ['bwrap', '--dev-bind', '/', '/', '--ro-bind', '/dev/null', BWRAP, '--', BIN]

/** A run with one command, on a machine with or without bubblewrap, whose person does not insist on it. */
async function ran(command: string[]) {
  const { root, env, json } = workIn(UNDONE)
  const home = env['HOME'] ?? ''
  mkdirSync(join(home, '.config/qed'), { recursive: true })
  writeFileSync(join(home, '.config/qed/config.json'), JSON.stringify({ isolation: { require: 'none' } }))
  const script = join(home, 'script.json')
  const calls = [
    { name: 'bash', arguments: { command: 'echo hello' } },
    { name: 'update', arguments: { status: 200, body: 'Done.' } },
  ]
  writeFileSync(script, JSON.stringify({ scripts: { main: { turns: [{ calls }] } } }))
  const shown = await qed(['fix', 'x', '--scope', 'src/**', '--model', `script:${script}`], { cwd: root, env, command })
  const { items } = await json<{ items: Event[] }>(['events', 'list', '--type', 'isolation.degraded', '--json'])
  const told = await json<{ items: { isolation: { level: string } }[] }>(['run', 'list', '--json'])
  return { ...shown, degraded: items.map(({ data }) => data), level: told.items[0]?.isolation.level }
}

test('R-39, conformance 8: walls that are less than planned are recorded, told while the run works, and said in its summary', async () => {
  const { exit, stdout, stderr, degraded, level } = await ran(HIDDEN)
  const what = 'Bubblewrap is not installed. Not isolated.'
  expect([exit, level, degraded]).toEqual([0, 'process-group', [{ level: 'process-group', what }]])
  expect(stdout).toContain(`\n  walls    process-group only: ${what}\n`)
  expect(stderr).toContain(`! Commands do not have the walls they should: ${what}\n`)
})

test('R-39: where they are as planned there is nothing to say', async () => {
  const { exit, stdout, degraded, level } = await ran([BIN])
  expect([exit, level, degraded]).toEqual([0, 'bubblewrap', []])
  expect(stdout).not.toContain('walls')
})
