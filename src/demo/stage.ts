import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { QedError } from '../kernel/errors.ts'
import { OUTSIDE_RUNS } from '../sandbox/isolation/detect.ts'
import type { Processes, ProcessOutcome } from '../sandbox/process/types.ts'

/** What the steps work with: a temporary repository, and the real program. */
export interface Stage {
  /** Holds the repository, and a home of its own; gone afterwards. */
  folder: string
  repository: string
  env: Readonly<Record<string, string | undefined>>
  /** The command that starts QED. */
  self: string[]
  processes: Processes
  signal: AbortSignal
}

export class DemoFailed extends QedError {
  readonly code = 'failed'
}

const TIMEOUT_MS = 60_000

/** Runs a program in the repository. */
export function runTool(
  { processes, env, signal, repository }: Stage,
  argv: string[],
  onOutput?: (text: string) => void,
): Promise<ProcessOutcome> {
  const given = Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
  return processes.run({
    argv,
    cwd: repository,
    profile: 'own',
    writable: {},
    env: given,
    timeout_ms: TIMEOUT_MS,
    keep: { head: 4 << 20, tail: 0 },
    run_id: OUTSIDE_RUNS,
    signal,
    ...(onOutput && { onOutput: (stream: string, text: string) => (stream === 'stdout' ? onOutput(text) : undefined) }),
  })
}

/** Runs `qed …` in the repository as a program would, and gives its exit code and its answer. */
export async function qed<T>(stage: Stage, ...args: string[]): Promise<{ exit: number; answer: T }> {
  const { reason, exit, stdout, stderr } = await runTool(stage, [...stage.self, ...args, '--json'])
  if (exit === null) throw new DemoFailed(`qed ${args.join(' ')} did not end by itself: ${reason}`)
  try {
    return { exit, answer: JSON.parse(stdout.text) as T }
  } catch {
    throw new DemoFailed(`qed ${args.join(' ')} ended with ${exit}: ${stderr.text || stdout.text}`)
  }
}

/** Runs `qed … --stream` and gives its events one by one, as they happen. */
export async function* qedEvents<T>(stage: Stage, ...args: string[]): AsyncGenerator<T> {
  const output = new PassThrough()
  const ended = runTool(stage, [...stage.self, ...args, '--stream'], text => void output.write(text)).finally(() => output.end())
  for await (const line of createInterface({ input: output })) yield JSON.parse(line) as T
  const { exit, reason, stderr } = await ended
  if (exit === null) throw new DemoFailed(`qed ${args.join(' ')} did not end by itself: ${reason} ${stderr.text}`)
}
