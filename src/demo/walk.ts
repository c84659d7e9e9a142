import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { DatabaseSync } from 'node:sqlite'
import { QedError } from '../kernel/errors.ts'
import { OUTSIDE_RUNS } from '../sandbox/isolation/detect.ts'
import type { ProcessOutcome } from '../sandbox/process/types.ts'
import type { Stage } from './stage.ts'
import { talkMcp } from './talk-mcp.ts'
import { talkRpc } from './talk-rpc.ts'

export interface DemoStep {
  name: string
  ok: boolean
  ms: number
  /** What there was to see. */
  shown: string
}

type Step = { name: string; play(stage: Stage): Promise<string> }

const STEPS: Step[] = [
  { name: 'Make a git repository that QED has never seen', play: makeRepository },
  { name: 'qed init', play: initialise },
  { name: 'Four processes change settings at the same time', play: changeTogether },
  { name: 'A command that is wrong says what is right', play: mistype },
  { name: 'An agent comes in over MCP', play: talkMcp },
  { name: 'A program comes in over JSON-RPC, a stranger stays out', play: talkRpc },
  { name: 'qed events verify', play: verifyLog },
  { name: 'Someone edits the history in a copy of the log', play: tamper },
]

class DemoFailed extends QedError {
  readonly code = 'failed'
}

/** Plays every step with real processes, telling each as it ends; stops at the first that fails. Leaves nothing behind. */
export async function walk(
  { self, env, processes }: Pick<Stage, 'self' | 'env' | 'processes'>,
  signal: AbortSignal,
  tell: (step: DemoStep) => void | Promise<void>,
): Promise<DemoStep[]> {
  const folder = mkdtempSync(join(tmpdir(), 'qed-demo-'))
  const own = { HOME: folder, XDG_CONFIG_HOME: join(folder, 'config'), XDG_DATA_HOME: join(folder, 'data') }
  const stage: Stage = { repository: join(folder, 'shop'), self, processes, signal, env: { ...env, ...own, QED_RUN: undefined } }
  const steps: DemoStep[] = []
  try {
    for (const step of STEPS) {
      signal.throwIfAborted()
      const played = await playStep(step, stage)
      steps.push(played)
      await tell(played)
      if (!played.ok) break
    }
    return steps
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function playStep(step: Step, stage: Stage): Promise<DemoStep> {
  const started = performance.now()
  const done = (ok: boolean, shown: string): DemoStep => ({ name: step.name, ok, ms: Math.round(performance.now() - started), shown })
  try {
    return done(true, await step.play(stage))
  } catch (error) {
    return done(false, error instanceof Error ? error.message : String(error))
  }
}

/** Runs `qed …` in the repository as a user would. */
async function qed(stage: Stage, ...args: string[]): Promise<{ exit: number; stdout: string; stderr: string }> {
  const { reason, exit, stdout, stderr } = await runTool(stage, [...stage.self, ...args], stage.repository)
  if (exit !== null) return { exit, stdout: stdout.text, stderr: stderr.text }
  throw new DemoFailed(`qed ${args.join(' ')} did not end by itself: ${reason}`)
}

function runTool({ processes, env, signal }: Stage, argv: string[], cwd: string): Promise<ProcessOutcome> {
  const given = Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
  return processes.run({
    argv,
    cwd,
    profile: 'own',
    writable: {},
    env: given,
    timeout_ms: 20_000,
    keep: { head: 1 << 20, tail: 0 },
    run_id: OUTSIDE_RUNS,
    signal,
  })
}

async function qedOk<T>(stage: Stage, ...args: string[]): Promise<T> {
  const { exit, stdout, stderr } = await qed(stage, ...args, '--json')
  if (exit !== 0) throw new DemoFailed(`qed ${args.join(' ')} ended with ${exit}: ${stderr || stdout}`)
  return JSON.parse(stdout) as T
}

async function makeRepository(stage: Stage): Promise<string> {
  const git = await runTool(stage, ['git', 'init', '--quiet', stage.repository], tmpdir())
  if (git.exit !== 0) throw new DemoFailed('git init failed; qed doctor tells more.')
  return stage.repository
}

async function initialise(stage: Stage): Promise<string> {
  const { project, files } = await qedOk<{ project: { id: string }; files: string[] }>(stage, 'init')
  const again = await qedOk<{ files: string[] }>(stage, 'init')
  return `${project.id}: ${files.length} files written; a second init wrote ${again.files.length}`
}

async function changeTogether(stage: Stage): Promise<string> {
  const values = [1000, 2000, 3000, 4000]
  await Promise.all(values.map(value => qedOk(stage, 'config', 'set', 'shell.timeout_ms', String(value))))
  const { items } = await qedOk<{ items: { type: string }[] }>(stage, 'events', 'list')
  const recorded = items.filter(({ type }) => type === 'config.set').length
  if (recorded !== values.length) throw new DemoFailed(`${recorded} of ${values.length} changes are in the log`)
  const { value, source } = await qedOk<{ value: number; source: string }>(stage, 'config', 'get', 'shell.timeout_ms')
  return `${recorded} of ${values.length} changes in the log, none lost; the last one holds: ${value} (from ${source})`
}

async function mistype(stage: Stage): Promise<string> {
  const { exit, stderr } = await qed(stage, 'evnts', 'verify')
  if (exit !== 2) throw new DemoFailed(`qed evnts verify ended with ${exit} instead of 2`)
  return `exit ${exit}: ${stderr.split('\n')[0]?.replace(/^\S+ usage\s+/, '')}`
}

async function verifyLog(stage: Stage): Promise<string> {
  const { count, head } = await qedOk<{ count: number; head: { hash: string } }>(stage, 'events', 'verify')
  return `${count} events, every link holds, head ${head.hash.slice(0, 16)}`
}

async function tamper(stage: Stage): Promise<string> {
  const copy = join(stage.repository, '..', 'tampered.db')
  copyFileSync(join(stage.repository, '.qed', 'qed.db'), copy)
  const db = new DatabaseSync(copy)
  db.exec(`UPDATE events SET data = replace(data, '"removed":false', '"removed":true') WHERE seq = 3`)
  db.close()
  const { exit, stdout } = await qed(stage, 'events', 'verify', '--store', copy, '--json')
  const { broken } = JSON.parse(stdout) as { broken?: { seq: number; reason: string } }
  if (exit !== 1 || broken?.seq !== 3) throw new DemoFailed('the changed event was not found')
  return `found: event ${broken.seq}, ${broken.reason}`
}
