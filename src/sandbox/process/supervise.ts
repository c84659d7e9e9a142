import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, timestamp } from '../../kernel/clock.ts'
import type { IsolationInForce } from '../../kernel/isolation.ts'
import { sha256 } from '../../kernel/sha256.ts'
import { hostIsolation } from '../isolation/host.ts'
import type { Redaction } from '../redaction/text-redactor.ts'
import { watchDescendants } from './descendants.ts'
import { type Ending, endProcess, type Target } from './endings.ts'
import type { ReadyLaunch } from './isolate.ts'
import { type Exit, exitOf, launch } from './launch.ts'
import { entryOf, type Mark } from './mark.ts'
import type { ProcTable } from './proc-table.ts'
import { readStatus, type SandboxStatus, whyNotReached } from './sandbox-status.ts'
import type { Told } from './standing.ts'
import { createStop, type Stop, type Stopped, watchLimits } from './stop.ts'
import { outputFile, readStreams, type Streams } from './streams.ts'
import type { Captured, ProcessOutcome, ProcessRef, ProcessSpec, RunningProcess } from './types.ts'
import type { Seat } from './waiting.ts'

// One process from start to end: start → watch time, silence, output and the caller's signal → the first reason to stop wins →
// wait for the exit, never for the pipes → end what is left → read for a moment more → tell.

/** A live process, as endings and lists need it. */
export interface Live {
  facts: RunningProcess
  target: Target
  /** Ends it; resolves when it is over. */
  abort(): Promise<ProcessOutcome>
}

export interface Supervision {
  spec: ProcessSpec
  launch: ReadyLaunch
  mark: Mark
  table: ProcTable
  clock: Clock
  redaction: Redaction
  outputs: string | undefined
  /** Inside walls that stand already. */
  seat?: Seat
  /** Makes it known as live; the answer takes it out again. */
  track(live: Live): () => void
}

const REAP_MS = 1_000

export async function supervise(job: Supervision): Promise<ProcessOutcome> {
  const { spec, table, clock, redaction } = job
  const started_at = timestamp(clock)
  const began = performance.now()
  const launched = job.seat?.launched ?? launch({ ...job.launch, stdin: spec.stdin, status: job.launch.namespaced })
  const { child } = launched
  if (child.pid === undefined) {
    const [error] = (await once(child, 'error')) as [NodeJS.ErrnoException]
    return notStarted({ clock, isolation: job.launch.isolation, error: { code: error.code ?? 'spawn_failed', message: error.message } })
  }
  const status = job.seat?.status ?? readStatus(launched.status, table)
  const target = targetOf(job, child.pid, status)
  const stop = createStop()
  const limits = watchLimits(spec, stop)
  const file = outputFile(job.outputs, job.mark.call)
  const streams = readStreams(launched, { spec, secrets: job.launch.secrets, redaction, file, stop, heard: limits.heard })
  const unwatch = job.launch.namespaced || target.trusted ? () => undefined : watchDescendants(target, table)

  const over = { exited: job.seat?.exited ?? exitOf(child), told: job.seat?.carryOut(), stop, streams }
  const endAll = (): Promise<Ending> => {
    job.seat?.dismiss()
    return endProcess(target, table)
  }
  const outcome = untilOver(over, endAll).then(({ exit, signal, ended, escaped, told = false, running = 0 }) => {
    limits.clear()
    unwatch()
    untrack()
    const kept = streams.end()
    return {
      ...endOf({ exit, signal }, { stopped: stop.current(), reached: told || status.reached(), stderr: kept.stderr }),
      ...kept,
      started_at,
      duration_ms: Math.round(performance.now() - began),
      ended: redacted(ended, redaction),
      ...(running > 0 && { left_running: running }),
      escaped: redacted(escaped, redaction),
      isolation: job.launch.isolation,
    }
  })
  const untrack = job.track({
    facts: { pid: child.pid, run_id: spec.run_id, command: commandOf(spec, redaction), started_at, background: spec.background ?? false },
    target,
    abort: () => {
      stop.set({ reason: 'aborted' })
      return outcome
    },
  })
  return outcome
}

interface UnderWay {
  exited: Promise<Exit>
  /** Inside standing walls a command ends without the end of what was started. */
  told: Promise<Told> | undefined
  stop: Stop
  streams: Streams
}

const NO_EXIT: Exit = { exit: null, signal: null }

async function untilOver(
  { exited, told, stop, streams }: UnderWay,
  endAll: () => Promise<Ending>,
): Promise<Exit & Ending & { told?: boolean; running?: number }> {
  const first = await Promise.race([exited, stop.given, ...(told ? [told] : [])])
  if ('alone' in first && first.alone) {
    await streams.readOut()
    return { ...first, ended: [], escaped: [], told: true }
  }
  if ('exit' in first) {
    const [ending] = await Promise.all([endAll(), streams.drained()])
    return { ...first, ...ending, told: 'alone' in first }
  }
  const ending = await endAll()
  // One that cannot be ended (it waits in the kernel) must not keep the caller for ever.
  const exit = await Promise.race([exited, sleep(REAP_MS, NO_EXIT)])
  await streams.drained()
  // Of standing walls it is the shell that has ended, not the command.
  return { ...(told ? NO_EXIT : exit), ...ending }
}

function targetOf({ spec, mark, table }: Supervision, pid: number, status: SandboxStatus): Target {
  return {
    pid,
    start: table.facts(pid)?.start ?? '',
    mark: entryOf(mark.value),
    seen: new Map(),
    get init() {
      return status.init()
    },
    trusted: spec.profile === 'own',
  }
}

function endOf(
  { exit, signal }: Exit,
  at: { stopped: Stopped | null; reached: boolean; stderr: Captured },
): Pick<ProcessOutcome, 'reason' | 'exit' | 'signal' | 'error'> {
  if (at.stopped) return { reason: at.stopped.reason, exit, signal, ...(at.stopped.error && { error: at.stopped.error }) }
  if (signal !== null) return { reason: 'signalled', exit, signal }
  return at.reached
    ? { reason: 'exited', exit, signal }
    : { reason: 'not-started', exit: null, signal: null, error: whyNotReached(at.stderr) }
}

function redacted(refs: ProcessRef[], redaction: Redaction): ProcessRef[] {
  return refs.map(({ pid, command }) => ({ pid, command: redaction.text(command) }))
}

function commandOf({ argv }: ProcessSpec, redaction: Redaction): string {
  return redaction.text(Array.isArray(argv) ? argv.join(' ') : argv.shell).slice(0, 200)
}

export interface NotStarted {
  clock: Clock
  isolation: IsolationInForce | null
  error: { code: string; message: string }
  reason?: 'aborted'
}

export function notStarted({ clock, isolation, error, reason }: NotStarted): ProcessOutcome {
  const nothing: Captured = { text: '', bytes: 0, sha256: sha256(''), cut: false }
  return {
    reason: reason ?? 'not-started',
    exit: null,
    signal: null,
    stdout: nothing,
    stderr: nothing,
    started_at: timestamp(clock),
    duration_ms: 0,
    ended: [],
    escaped: [],
    isolation: isolation ?? hostIsolation({ planned: 'none', level: 'none', degraded: null }),
    error,
  }
}
