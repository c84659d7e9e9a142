import { isatty } from 'node:tty'
import { version } from './kernel/version.ts'
import type { Io } from './surfaces/cli/io.ts'

// The `qed` command: gives a process its command line, its signals and its exit code.

/** Of what was stopped by Ctrl-C. */
const CANCELLED = 130

const stopping = new AbortController()
/** What the first reason to stop decided, unless the work came to an end of its own. */
let ending: number | undefined
let interruptedAt = 0
let readerGone = false

function interrupt(exitCode: number): void {
  // A second signal within 3 s leaves at once; what was under way is settled by the next start.
  if (Date.now() - interruptedAt < 3000) process.exit(exitCode)
  interruptedAt = Date.now()
  stop(exitCode)
}

// Nothing is cut off: whoever is at work sees the signal, cleans up, and the process ends by itself.
function stop(exitCode: number): void {
  ending ??= exitCode
  stopping.abort()
}

// A signal that came too late to stop anything must not deny what was done and recorded.
function settle(exitCode: number): void {
  if (exitCode !== CANCELLED) ending = exitCode
}

export async function main(argv: string[], self: string[]): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that has gone wants nothing more: that is no failure.
    readerGone = error.code === 'EPIPE'
    stop(readerGone ? 0 : 1)
  })
  // Nobody reads what goes wrong; the exit code still tells.
  process.stderr.on('error', () => undefined)
  // When nothing is left to do, the memory goes back to the system at once instead of being taken apart first.
  process.once('beforeExit', () => process.exit())
  const [only, ...more] = argv
  if (more.length === 0 && (only === '--version' || only === '-V')) {
    process.stdout.write(`qed ${version}\n`)
    return
  }
  process.on('SIGINT', () => interrupt(CANCELLED))
  process.on('SIGTERM', () => interrupt(143))
  // The terminal is gone: what runs is ended and cleaned up as by any other stop.
  process.on('SIGHUP', () => interrupt(129))
  // Lazy, so that the version costs nothing but Node itself.
  const { interpretShapes } = await import('./kernel/interpreted-shapes.ts')
  interpretShapes()
  const { runCli } = await import('./surfaces/cli/cli.ts')
  const exit = await runCli({ argv, io: processIo(), self, signal: stopping.signal, isReaderGone: () => readerGone, settle })
  process.exitCode = ending ?? exit
}

// Getters: a command that never reads its input should not pay for opening it.
function processIo(): Io {
  let stdin: NodeJS.ReadableStream | undefined
  return {
    get stdin() {
      return (stdin ??= endedBy(stopping.signal))
    },
    get stdout() {
      return process.stdout
    },
    get stderr() {
      return process.stderr
    },
    terminal: { stdin: isatty(0), stdout: isatty(1), stderr: isatty(2), columns: columns() },
    env: process.env,
  }
}

function columns(): number | undefined {
  if (isatty(1)) return process.stdout.columns
  return isatty(2) ? process.stderr.columns : undefined
}

// Whoever waits for more input waits no longer once the process is to stop.
function endedBy(signal: AbortSignal): NodeJS.ReadableStream {
  const { stdin } = process
  const end = (): void => void stdin.destroy(new DOMException('The input was closed.', 'AbortError'))
  stdin.on('error', () => undefined)
  if (signal.aborted) end()
  else signal.addEventListener('abort', end, { once: true })
  return stdin
}
