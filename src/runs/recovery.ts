// what a process that died had reserved and not settled. Files and refs can be looked at; a command cannot.
import type { Attempt, PathEffect } from './attempt.ts'

/** What the disk says now about one path, by digest; null: nothing is there. */
export type DigestNow = (path: string) => string | null

export interface Recovered {
  attempt: Attempt
  status: 'succeeded' | 'abandoned'
  outcome: 'known' | 'unknown' | 'not-started'
  /** What the model is told; null: the call may run as if it had never begun. */
  told: { ok: boolean; result: string } | null
}

/** L-45: what is told of something that may have run. */
export const UNKNOWN_COMMAND = { ok: false, result: 'Error: Interrupted: it is not known whether this ran. Check before repeating it.' }

/** How an open attempt is settled. Pure but for the look at the disk. */
export function recover(attempt: Attempt, digestNow: DigestNow): Recovered {
  if (attempt.effect === 'execute') {
    return { attempt, status: 'abandoned', outcome: 'unknown', told: UNKNOWN_COMMAND }
  }
  const seen = attempt.paths.map(path => ({ path, now: digestNow(path.path) }))
  if (seen.every(({ path, now }) => now === path.after)) {
    return { attempt, status: 'succeeded', outcome: 'known', told: { ok: true, result: 'Done before the interruption.' } }
  }
  if (seen.every(({ path, now }) => now === path.before)) return { attempt, status: 'abandoned', outcome: 'not-started', told: null }
  const changed =
    seen.find(({ path, now }) => now !== path.after && now !== path.before) ?? seen.find(({ path, now }) => now !== path.after)
  const result = `Error: Interrupted: ${shown(changed?.path)} changed meanwhile.`
  return { attempt, status: 'abandoned', outcome: 'unknown', told: { ok: false, result } }
}

function shown(path: PathEffect | undefined): string {
  return path?.path ?? 'a file'
}
