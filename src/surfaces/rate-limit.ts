import { performance } from 'node:perf_hooks'
import type { Clock } from '../kernel/clock.ts'

/** Never goes back, whatever happens to the time of day. */
const steadyClock: Clock = { now: () => performance.now() }

/** Counts what happened within a span of time and says when it is too much. */
export class RateLimit {
  readonly #most: number
  readonly #spanMs: number
  readonly #clock: Clock
  #times: number[] = []

  constructor(limit: { most: number; spanMs: number }, clock: Clock = steadyClock) {
    this.#most = limit.most
    this.#spanMs = limit.spanMs
    this.#clock = clock
  }

  /** Whether one more would be too much, without counting it. */
  isReached(): boolean {
    this.#forget()
    return this.#times.length >= this.#most
  }

  /** Counts one. */
  add(): void {
    this.#forget()
    this.#times.push(this.#clock.now())
  }

  /** Milliseconds until there is room again. */
  retryAfterMs(): number {
    return Math.max(0, (this.#times[0] ?? 0) + this.#spanMs - this.#clock.now())
  }

  #forget(): void {
    const since = this.#clock.now() - this.#spanMs
    while ((this.#times[0] ?? Number.POSITIVE_INFINITY) <= since) this.#times.shift()
  }
}
