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
