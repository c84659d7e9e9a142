import { isatty } from 'node:tty'
import { version } from './kernel/version.ts'
import type { Io } from './surfaces/cli/io.ts'

// The `qed` command: gives a process its command line, its signals and its exit code.

const stopping = new AbortController()
let interruptedAt = 0

function interrupt(exitCode: number): void {
  // A second signal within 3 s leaves at once; what was under way is settled by the next start.
  if (Date.now() - interruptedAt < 3000) process.exit(exitCode)
  interruptedAt = Date.now()
  process.exitCode = exitCode
  stopping.abort()
}

export async function main(argv: string[], self: string[]): Promise<void> {
  const [only, ...more] = argv
  if (more.length === 0 && (only === '--version' || only === '-V')) {
    process.stdout.write(`qed ${version}\n`)
    return
  }
  process.on('SIGINT', () => interrupt(130))
  process.on('SIGTERM', () => interrupt(143))
  // A reader that has gone wants nothing more: that is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  // Lazy, so that the version costs nothing but Node itself.
  const { runCli } = await import('./surfaces/cli/cli.ts')
  const exit = await runCli({ argv, io: processIo(), self, signal: stopping.signal })
  process.exitCode = stopping.signal.aborted ? process.exitCode : exit
}

// Getters: a command that never reads its input should not pay for opening it.
function processIo(): Io {
  return {
    get stdin() {
      return process.stdin
    },
    get stdout() {
      return process.stdout
    },
    get stderr() {
      return process.stderr
    },
    terminal: { stdin: isatty(0), stdout: isatty(1), stderr: isatty(2), columns: isatty(1) ? process.stdout.columns : undefined },
    env: process.env,
  }
}
