import type { RunFact } from '../facts.ts'

/** F-12. `not-run`: nothing can be said about the tree. */
export type RunColour = 'green' | 'red' | 'not-run'

/** Codes by which a shell says that it could not start the command. */
const NOT_STARTED = new Set([126, 127])

interface Ran {
  name: string
  exit: number | null
  reason?: string | undefined
}

/** What one run says about its tree. The result is held to more: whatever is not green there is red, unless nothing was started
 *  at all. */
export function colourOf({ name, exit, reason = 'exited' }: Ran, { hang_is_red }: { hang_is_red: boolean }): RunColour {
  if (reason === 'exited' && exit === 0) return 'green'
  if (reason === 'not-started' || reason === 'aborted') return 'not-run'
  if (name === 'result' || name === 'vary') return 'red'
  if (reason === 'timeout' || reason === 'silent') return hang_is_red ? 'red' : 'not-run'
  return reason === 'exited' && exit !== null && !NOT_STARTED.has(exit) ? 'red' : 'not-run'
}

export function runsOf(runs: readonly RunFact[], name: RunFact['name']): RunFact[] {
  return runs.filter(run => run.name === name)
}
