import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createApp } from '../../src/app.ts'
import type { Caller } from '../../src/kernel/caller.ts'
import type { Event } from '../../src/kernel/event.ts'
import { createCatalogue } from '../../src/operations/catalogue.ts'
import { invoke } from '../../src/operations/invoke.ts'
import { carryOutInit, planInit } from '../../src/project/init.ts'
import { type Blobs, createBlobs } from '../../src/store/blobs.ts'
import { handClock } from './clock.ts'
import { workIn } from './proving.ts'
import { cleanEnv } from './qed.ts'

const catalogue = createCatalogue()

export interface WorkingRun {
  run: { id: string; status: string; outcome: string; outcome_reason: string | null }
  text: string
  turns: number
  tool_calls: number
  tokens: number
  model: string
  scripted: boolean
  egress: { files: number; bytes: number }
}

/** A project in which scripted models work, in this process; each script is an alias of its own. */
export function working({
  files = {},
  scripts,
  settings = {},
  standing = '',
}: {
  files?: Record<string, string>
  scripts: Record<string, { turns: object[]; otherwise?: object; context?: number }>
  settings?: object
  /** The folder, from the root on, that whoever orders a run stands in. */
  standing?: string
}) {
  const env = cleanEnv()
  const { root } = workIn({ 'README.md': 'A project.\n', ...files })
  carryOutInit(planInit(root, { clock: handClock() }))
  const home = env['HOME'] ?? ''
  const file = join(home, 'scripts.json')
  const parts = Object.entries(scripts).map(([name, { turns, otherwise }]) => [name, { turns, ...(otherwise && { otherwise }) }])
  writeFileSync(file, JSON.stringify({ scripts: Object.fromEntries(parts) }))
  const models = Object.entries(scripts).map(([name, { context }]) => [
    name,
    { protocol: 'script', model: `${file}#${name}`, ...(context && { context }) },
  ])
  const config = join(home, '.config/qed/config.json')
  mkdirSync(dirname(config), { recursive: true })
  writeFileSync(config, JSON.stringify({ models: Object.fromEntries(models), ...settings }))
  const app = createApp({ cwd: join(root, standing), env, self: [] })
  onTestFinished(() => app.close())
  const abort = new AbortController()
  const told: { type: string; data: Record<string, unknown> }[] = []
  const call = async <T>(name: string, input: object, role: Caller['role'] = 'program'): Promise<T> =>
    (await invoke(await catalogue.find(name), app, input, {
      caller: { surface: 'cli', connection: 'test', role, approver: 'none' },
      signal: abort.signal,
      emit: event => void told.push(event as (typeof told)[number]),
      catalogue,
    })) as T
  return {
    root,
    app,
    abort,
    told,
    call,
    work: (input: object): Promise<WorkingRun> => call('run.work', { kind: 'fix', scope: ['**'], ...input }),
    events: async (run: string): Promise<Event[]> => (await app.projectStore()).log.list({ streams: [`run:${run}`] }, 100_000),
    blobs: (): Blobs => createBlobs(join(root, '.qed/blobs')),
    read: (path: string): string => readFileSync(join(root, path), 'utf8'),
  }
}

export const done = { name: 'update', arguments: { status: 200, body: 'Done.' } }
export const goOn = { name: 'update', arguments: { status: 102, body: 'Going on.' } }
