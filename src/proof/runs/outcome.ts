import type { RunFact } from '../facts.ts'

export type Colour = 'green' | 'red' | 'not-run'

/** Codes by which a shell says that it could not start the command. */
const NOT_STARTED = new Set([126, 127])

/** F-12: what a run says. The result is held to more: whatever is not green there is red, unless nothing was started at all. */
export function colourOf(run: Pick<RunFact, 'name' | 'exit' | 'reason'>, { hang_is_red }: { hang_is_red: boolean }): Colour {
  const { name, exit, reason } = run
  if (reason === 'exited' && exit === 0) return 'green'
  if (reason === 'not-started' || reason === 'aborted') return 'not-run'
  if (name === 'result' || name === 'vary') return 'red'
  if (reason === 'timeout') return hang_is_red ? 'red' : 'not-run'
  return reason === 'exited' && exit !== null && !NOT_STARTED.has(exit) ? 'red' : 'not-run'
}
