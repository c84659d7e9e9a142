import { spawn } from 'node:child_process'

export interface ProcessSpec {
  command: string
  args: string[]
  cwd?: string
  env?: Readonly<Record<string, string | undefined>>
  timeoutMs: number
  /** Kept of each of stdout and stderr; the rest is read and counted, not kept. */
  mostBytes?: number
}

export type ProcessOutcome =
  | { kind: 'exited'; exit: number; stdout: string; stderr: string }
  | { kind: 'killed'; signal: string; stdout: string; stderr: string }
  | { kind: 'timed-out'; stdout: string; stderr: string }
  | { kind: 'not-started'; reason: string }

const MOST_BYTES = 1 << 20
const DRAIN_MS = 500

/** Runs a program in a process group of its own. Never rejects because of what it did: the outcome says it.
 *  When the promise settles the whole group has been ended, on any path, so no child is left. */
export function runProcess(spec: ProcessSpec): Promise<ProcessOutcome> {
  return new Promise(settle => {
    const child = spawn(spec.command, spec.args, {
      cwd: spec.cwd,
      env: { ...(spec.env ?? process.env) },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const stdout = capture(child.stdout, spec.mostBytes ?? MOST_BYTES)
    const stderr = capture(child.stderr, spec.mostBytes ?? MOST_BYTES)
    let timedOut = false
    const timer = setTimeout(() => {
      timedOut = true
      endGroup(child.pid)
    }, spec.timeoutMs)
    child.once('error', error => {
      clearTimeout(timer)
      settle({ kind: 'not-started', reason: error.message })
    })
    // On exit, not on close: a background child that holds the pipes must not hold us. What is in them already is read.
    child.once('exit', (exit, signal) => {
      clearTimeout(timer)
      endGroup(child.pid)
      const finish = (): void => {
        clearTimeout(drained)
        const output = { stdout: stdout(), stderr: stderr() }
        if (timedOut) settle({ kind: 'timed-out', ...output })
        else if (signal) settle({ kind: 'killed', signal, ...output })
        else settle({ kind: 'exited', exit: exit ?? 0, ...output })
      }
      const drained = setTimeout(finish, DRAIN_MS)
      child.once('close', finish)
    })
  })
}

function capture(stream: NodeJS.ReadableStream, most: number): () => string {
  const chunks: Buffer[] = []
  let kept = 0
  stream.on('data', (chunk: Buffer) => {
    if (kept < most) chunks.push(chunk.subarray(0, most - kept))
    kept += chunk.length
  })
  return () => Buffer.concat(chunks).toString('utf8')
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // ESRCH: the group is gone already, which is what was wanted.
  }
}
