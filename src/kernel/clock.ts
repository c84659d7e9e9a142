/** Where time comes from. Tests hand in one that stands still or jumps. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** RFC 3339 in UTC with milliseconds, the one form of a time in QED. */
export function timestamp(clock: Clock): string {
  return new Date(clock.now()).toISOString()
}
