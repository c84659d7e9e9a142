import { LIMITS } from './limits.ts'
import { refuse } from './refusal.ts'

/** Asked in every loop whose length the input decides. */
export interface Deadline {
  /** Refuses with `timeout` once the time of the call is over. */
  check(): void
  /** What is left of the call, in milliseconds. */
  left(): number
}

// The only clock of this room. It can end a call but never changes what a finished call answers.
export function callDeadline(now: () => number = () => performance.now()): Deadline {
  const end = now() + LIMITS.callMs
  const left = (): number => end - now()
  return {
    left,
    check: () => {
      if (left() < 0) outOfTime(`The edit took longer than ${LIMITS.callMs} ms and was stopped.`)
    },
  }
}

export function outOfTime(what: string): never {
  refuse('timeout', `${what} Nothing was changed. Send fewer or more specific edits.`)
}
