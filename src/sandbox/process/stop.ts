import { type EndReason, LIMITS, type ProcessSpec } from './types.ts'

export interface Stopped {
  reason: Exclude<EndReason, 'exited' | 'signalled' | 'not-started'>
  error?: { code: string; message: string }
}

/** The first reason to stop a process; later ones change nothing. */
export interface Stop {
  set(stopped: Stopped): void
  current(): Stopped | null
  readonly given: Promise<Stopped>
}

export function createStop(): Stop {
  let stopped: Stopped | null = null
  const { promise, resolve } = Promise.withResolvers<Stopped>()
  return {
    set(next) {
      stopped ??= next
      resolve(stopped)
    },
    current: () => stopped,
    given: promise,
  }
}

/** Sets off the stop when the time is over, the process was silent for too long, or the caller no longer wants it. */
export function watchLimits(spec: ProcessSpec, stop: Stop): { heard: () => void; clear: () => void } {
  const wanted = Number.isFinite(spec.timeout_ms) && spec.timeout_ms > 0 ? spec.timeout_ms : LIMITS.timeoutMs
  const timeout = setTimeout(() => stop.set({ reason: 'timeout' }), Math.min(wanted, LIMITS.mostTimeoutMs))
  const silence = spec.silent_ms === undefined ? undefined : setTimeout(() => stop.set({ reason: 'silent' }), spec.silent_ms)
  const abort = (): void => stop.set({ reason: 'aborted' })
  if (spec.signal?.aborted) abort()
  spec.signal?.addEventListener('abort', abort, { once: true })
  return {
    heard: () => void silence?.refresh(),
    clear: () => {
      clearTimeout(timeout)
      clearTimeout(silence)
      spec.signal?.removeEventListener('abort', abort)
    },
  }
}
