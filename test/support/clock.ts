import type { Clock } from '../../src/kernel/clock.ts'

/** A clock that goes only when told to. */
export function handClock(now = Date.UTC(2026, 0, 31, 12)): Clock & { advance(ms: number): void } {
  return {
    now: () => now,
    advance: ms => {
      now += ms
    },
  }
}
