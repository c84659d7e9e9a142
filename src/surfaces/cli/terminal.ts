import type { ReadStream } from 'node:tty'
import { Cancelled } from '../../kernel/errors.ts'
import type { Terminal } from '../../operations/operation.ts'
import { type Io, write } from './io.ts'

const ENTER = /[\r\n]/
const INTERRUPT = '\u0003'
const ERASE = /[\u007f\b]/

/** The person's screen and keyboard. */
export function terminalOf({ stdin, stdout, stderr }: Io, signal: AbortSignal): Terminal {
  return {
    write: text => write(stdout, text),
    ask: prompt => readLine({ stdin, stderr }, prompt, signal),
    async askHidden(prompt) {
      await write(stderr, prompt)
      try {
        return await hiddenLine(stdin as ReadStream, signal)
      } finally {
        await write(stderr, '\n')
      }
    },
  }
}

/** One line, shown as it is typed; an input that has ended reads as nothing. */
export async function readLine({ stdin, stderr }: Pick<Io, 'stdin' | 'stderr'>, prompt: string, signal: AbortSignal): Promise<string> {
  const { createInterface } = await import('node:readline/promises')
  const terminal = createInterface({ input: stdin, output: stderr })
  // While a line is read the terminal sends no signal by itself: Ctrl-C is a key like any other.
  terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  // An input that breaks has ended; one that is closed because the process stops is told by the signal.
  terminal.on('error', () => undefined)
  const ended = new Promise<null>(resolve => terminal.once('close', () => resolve(null)))
  // Its own: a signal that comes when the question is over would still end a line, in the middle of what stands there then.
  const asking = new AbortController()
  const stop = (): void => asking.abort(signal.reason)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  try {
    const answer = await Promise.race([terminal.question(prompt, { signal: asking.signal }), ended])
    // The question stands without an answer: what follows begins on a line of its own. An abort ends the line by itself.
    if (answer === null && !signal.aborted) stderr.write('\n')
    return answer ?? ''
  } finally {
    signal.removeEventListener('abort', stop)
    terminal.close()
  }
}

function hiddenLine(stdin: ReadStream, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    let line = ''
    const end = (settle: () => void): void => {
      stdin.off('data', take)
      stdin.setRawMode?.(false)
      stdin.pause()
      settle()
    }
    const take = (chunk: Buffer | string): void => {
      for (const char of chunk.toString()) {
        if (ENTER.test(char)) return end(() => resolve(line))
        if (char === INTERRUPT) return end(() => reject(new Cancelled('The question')))
        line = ERASE.test(char) ? line.slice(0, -1) : line + char
      }
    }
    signal.addEventListener('abort', () => end(() => reject(new Cancelled('The question'))), { once: true })
    stdin.setRawMode?.(true)
    stdin.on('data', take).resume()
  })
}
