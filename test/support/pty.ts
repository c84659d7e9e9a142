import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished, vi } from 'vitest'
import { BIN } from './qed.ts'

const CONTROLS = /\x1b\[[0-9;?]*[A-Za-z]/g

export interface AtTerminal {
  child: ChildProcess
  /** Everything on the screen so far. */
  screen: () => string
  /** Waits until the screen shows it, counted from what was typed last. */
  shows: (text: string | RegExp) => Promise<void>
  type: (text: string) => void
  exit: () => Promise<number | null>
}

/** `qed` at a terminal of its own, with a person who waits for what is shown before they type. */
export function qedAtTerminal(args: string[], { cwd, env }: { cwd: string; env: Record<string, string> }): AtTerminal {
  const command = [BIN, ...args].map(word => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', `stty cols 200; exec ${command}`, '/dev/null'], {
    cwd,
    env: { ...env, TERM: 'xterm' },
    stdio: 'pipe',
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'close')
  let text = ''
  let from = 0
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
  const screen = (): string => text.replace(CONTROLS, '')
  return {
    child,
    screen,
    shows: async wanted => {
      const seen = (): boolean => {
        const rest = screen().slice(from)
        return typeof wanted === 'string' ? rest.includes(wanted) : wanted.test(rest)
      }
      await vi.waitUntil(seen, { timeout: 20_000, interval: 20 }).catch(() => {
        throw new Error(`the terminal never showed ${wanted}:\n${screen()}`)
      })
    },
    type: typed => {
      from = screen().length
      child.stdin.write(typed)
    },
    exit: async () => ((await ended) as [number | null])[0],
  }
}
