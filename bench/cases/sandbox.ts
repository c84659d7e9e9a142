import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../src/kernel/clock.ts'
import { OUTSIDE_RUNS } from '../../src/sandbox/isolation/detect.ts'
import type { Profile } from '../../src/sandbox/process/types.ts'
import { createSandbox } from '../../src/sandbox/sandbox.ts'
import { type Case, milliseconds } from '../harness.ts'
import { run, type Scene } from '../scene.ts'

/** `true` in the real sandbox, beside the same without one and a bare spawn. */
export function sandboxCases({ project, env }: Scene): Case[] {
  const personal = join(project, '..', 'sandbox-bench')
  const place = join(personal, 'state', 'places', 'p', 'r')
  mkdirSync(join(place, 'src'), { recursive: true })
  const { processes } = createSandbox({
    env,
    home: env['HOME'] ?? '/root',
    personal,
    project: { root: project, gitFolder: join(project, '.git') },
    require: 'bubblewrap',
    redact: text => text,
    clock: systemClock,
  })
  const timed = (profile: Profile) => () =>
    milliseconds(async () => {
      const { exit, error } = await processes.run({
        argv: ['true'],
        cwd: place,
        profile,
        writable: { place, owned: ['src/**'] },
        env: {},
        timeout_ms: 10_000,
        keep: { head: 100, tail: 100 },
        run_id: OUTSIDE_RUNS,
      })
      if (exit !== 0) throw new Error(`true did not run: ${error?.message}`)
    })
  const bare = 'spawn true'
  const sandboxed = timed('worker')
  const plain = (): Promise<number> => milliseconds(() => run('true', [], { cwd: project, env }))
  return [
    { name: bare, unit: 'ms', run: plain },
    { name: 'true as one of QED’s own tools', unit: 'ms', floor: bare, run: timed('own') },
    { name: 'true in the sandbox', unit: 'ms', floor: bare, run: sandboxed },
    { name: 'sandbox over a bare spawn', unit: 'ms', goal: { most: 30 }, run: async () => (await sandboxed()) - (await plain()) },
  ]
}
