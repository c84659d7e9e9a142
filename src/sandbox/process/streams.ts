import { once } from 'node:events'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setImmediate as nextRound, setTimeout as sleep } from 'node:timers/promises'
import type { Redaction } from '../redaction/text-redactor.ts'
import { type Capture, createCapture } from './capture.ts'
import type { Launched } from './launch.ts'
import type { Stop } from './stop.ts'
import { type Captured, LIMITS, type ProcessSpec } from './types.ts'

export interface Streams {
  /** Resolves when the pipes are closed, at the latest shortly after the call: someone else may hold them. */
  drained(): Promise<void>
  /** Reads what is there and leaves the pipes as they are, for the next command: nobody who could write is left. */
  readOut(): Promise<void>
  end(): { stdout: Captured; stderr: Captured }
}

export interface StreamsOptions {
  spec: ProcessSpec
  secrets: string[]
  redaction: Redaction
  /** Path of a whole output, without the name of its stream. */
  file: string | undefined
  stop: Stop
  heard: () => void
}

const LEAK = {
  code: 'secret.canary',
  message: 'The vault’s own bait was printed: the vault has leaked. The process was ended; change its secrets.',
}

/** Reads what a process prints: keeps it, tells it on, and stops a flood. */
export function readStreams(launched: Launched, options: StreamsOptions): Streams {
  const { spec, secrets, redaction, stop } = options
  const captures = { stdout: capture('stdout'), stderr: capture('stderr') }
  let over = false
  let bytes = 0

  function capture(name: 'stdout' | 'stderr'): Capture {
    const tell = spec.onOutput?.bind(spec)
    return createCapture({
      keep: spec.keep,
      redactor: redaction.open(secrets, () => stop.set({ reason: 'aborted', error: LEAK })),
      file: options.file && `${options.file}.${name}`,
      onText: tell && (text => tell(name, text)),
    })
  }
  const take = (name: 'stdout' | 'stderr', chunk: Buffer): void => {
    bytes += chunk.length
    if (over) return
    options.heard()
    try {
      if (name === 'stdout' && spec.onBytes) spec.onBytes(chunk)
      else if (captures[name].push(chunk) > LIMITS.mostOutputBytes) {
        over = true
        stop.set({ reason: 'output-limit' })
      }
    } catch (error) {
      // A listener that fails ends the process: nobody would look at the rest.
      over = true
      stop.set({ reason: 'aborted', error: { code: 'listener_failed', message: error instanceof Error ? error.message : String(error) } })
    }
  }
  const pipes: Readable[] = [launched.stdout, launched.stderr, ...(launched.status ? [launched.status] : [])]
  const listening = (['stdout', 'stderr'] as const).map(name => {
    const listener = (chunk: Buffer): void => take(name, chunk)
    launched[name].on('data', listener).resume()
    return () => launched[name].off('data', listener).pause()
  })

  return {
    async drained() {
      const late = new AbortController()
      const closed = Promise.all(pipes.map(isClosed))
      await Promise.race([closed, sleep(LIMITS.drainMs, undefined, { signal: late.signal }).catch(() => undefined)])
      late.abort()
      over = true
      for (const pipe of pipes) pipe.destroy()
    },
    async readOut() {
      // A whole round of looking at the pipes that brought nothing more.
      for (let before = -1; before !== bytes; ) {
        before = bytes
        await nextRound()
        await nextRound()
      }
      for (const leave of listening) leave()
    },
    end: () => ({ stdout: captures.stdout.end(), stderr: captures.stderr.end() }),
  }
}

function isClosed(pipe: Readable): Promise<unknown> {
  return pipe.closed ? Promise.resolve() : once(pipe, 'close').catch(() => undefined)
}

export function outputFile(folder: string | undefined, call: string): string | undefined {
  return folder === undefined ? undefined : join(folder, call)
}
