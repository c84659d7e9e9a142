import type { Clock } from '../../kernel/clock.ts'

/** The time that a run works. */
export interface RunTime {
  /** L-38: waits for a person, and the time stands still meanwhile. Calls come one after the other, so only one waits. */
  standStill: <T>(waiting: () => Promise<T>) => Promise<T>
  /** What has gone by since it was last taken, in whole milliseconds. */
  take: () => number
  stop: () => void
}

/** Starts at once; `onOver` is told when so much has gone by. */
export function startTime(clock: Clock, mostMs: number, onOver: () => void): RunTime {
  let worked = 0
  let taken = 0
  let since: number | null = null
  let timer: NodeJS.Timeout | undefined
  const now = (): number => worked + (since === null ? 0 : clock.now() - since)
  const start = (): void => {
    since = clock.now()
    const left = mostMs - worked
    // A timer would let the first turns through.
    if (left <= 0) onOver()
    else if (left !== Number.POSITIVE_INFINITY) timer = setTimeout(onOver, Math.min(left, LONGEST_TIMER_MS)).unref()
  }
  const stop = (): void => {
    worked = now()
    since = null
    clearTimeout(timer)
  }
  start()
  return {
    standStill: async waiting => {
      stop()
      try {
        return await waiting()
      } finally {
        start()
      }
    },
    take: () => {
      const gone = Math.round(now()) - taken
      taken += gone
      return gone
    },
    stop,
  }
}

const LONGEST_TIMER_MS = 2 ** 31 - 1
