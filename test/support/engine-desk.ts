import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createApp } from '../../src/app.ts'
import { createLeave } from '../../src/engine/work/leave.ts'
import type { RunId } from '../../src/kernel/ids.ts'
import { Scene, sceneFor } from '../../src/operations/policy-question.ts'
import { createAttempts } from '../../src/runs/attempts.ts'
import { thisProcess } from '../../src/runs/owner.ts'
import { createRecorder } from '../../src/runs/recorder.ts'
import { createRuns } from '../../src/runs/runs.ts'
import { createBlobs } from '../../src/store/blobs.ts'
import { createExecutor, type ExecutorOptions, type Leave } from '../../src/tools/executor.ts'
import { builtInTools } from '../../src/tools/index.ts'
import { createRipgrep } from '../../src/tools/ripgrep.ts'
import type { AnyTool } from '../../src/tools/tool.ts'
import type { Work } from './proving.ts'

const ALLOWED: Leave = { verdict: 'allow', rule: 'test/all', reason: 'everything', approval: null, readOnly: false, changed: () => null }

/** A real executor over a real store in a real repository, with the layers that a test wants. */
export async function engineDesk(
  { root, env }: Pick<Work, 'root' | 'env'>,
  layers: { mode?: 'act' | 'plan'; readingOnly: boolean; more?: AnyTool[] },
) {
  const app = createApp({ cwd: root, env, self: [] })
  onTestFinished(() => app.close())
  const store = await app.projectStore()
  const { clock } = app
  const runs = createRuns({ ...store, clock, project: app.project().id })
  const run = runs.create({ intent: 'x', kind: 'plan', mode: 'plan', model: 'm' })
  const claim = runs.claim(run.id, thisProcess('cli'))
  const { processes, outputs } = await app.sandbox()
  const blobs = createBlobs(join(root, '.qed/blobs'))
  const record = createRecorder({ ...store, blobs, runs, claim, loop: 1, turn: 1, estimate: () => 1 })
  const walls = { profile: 'worker' as const, network: 'off' as const, writable: { place: root, owned: ['**'] } }
  const shell = { processes, outputs, run: run.id as RunId, walls, timeoutMs: 120_000 }
  const tools = [
    ...builtInTools(
      { search: createRipgrep(processes, run.id as RunId), mayRead: () => Promise.resolve(() => true), shell },
      { readingOnly: false },
    ),
    ...(layers.more ?? []),
  ]
  const { mode } = layers
  const scene = mode && (await sceneFor(app, Scene.parse({ mode, scope: { files_owned: ['**'] } }), 'cli'))
  const decide: ExecutorOptions['decide'] = scene
    ? createLeave({
        scene,
        isolation: scene.facts.isolation,
        ask: () => Promise.resolve(null),
        remembered: () => [],
        onUnanswered: () => undefined,
      })
    : () => Promise.resolve(ALLOWED)
  const executor = createExecutor({
    tools,
    scene: { root, signal: new AbortController().signal, onOutput: () => undefined },
    decide,
    takeCall: () => true,
    readingOnly: layers.readingOnly,
    attempts: createAttempts({ ...store, clock, runs }),
    claim,
    blobs,
    redact: text => text,
    now: () => clock.now(),
    record,
  })
  return { tools, executor }
}

/** Every byte of a repository, git data, links and empty folders with it, but for what QED keeps. */
export function everyByte(root: string): Record<string, string> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true })
  return Object.fromEntries(
    entries
      .map(entry => [join(entry.parentPath, entry.name).slice(root.length + 1), entry] as const)
      .filter(([path]) => path !== '.qed' && !path.startsWith('.qed/'))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, entry]) => {
        if (entry.isFile()) return [path, readFileSync(join(root, path), 'latin1')]
        return [path, entry.isSymbolicLink() ? `-> ${readlinkSync(join(root, path))}` : '/']
      }),
  )
}
