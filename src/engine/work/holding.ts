import type { Clock } from '../../kernel/clock.ts'
import { FenceLost, LeaseUnrenewed } from '../../runs/errors.ts'
import { type Claim, RENEW_MS, type Runs } from '../../runs/runs.ts'

/** How often it is looked at whether the run is still ours: a person who stops it elsewhere waits for no more than this. */
const LOOK_MS = 500
/** An owner that could not renew for so long starts nothing more: soon another one may take the run over. */
const MOST_UNRENEWED_MS = 20_000

export interface Holding {
  /** Aborted, with the reason, when the run is no longer ours to drive. */
  signal: AbortSignal
  /** Aborted, with what they said, when someone asked for the run to end. */
  ended: AbortSignal
  release: () => void
}

interface HoldOptions {
  clock: Clock
  /** Why someone asked for the run to end; null: nobody did. */
  endRequest: () => string | null
  lookMs?: number
}

/** Keeps the right to drive a run while it works. Never throws: what is lost is told by the signal. */
export function hold(runs: Pick<Runs, 'check' | 'renew'>, claim: Claim, { clock, endRequest, lookMs = LOOK_MS }: HoldOptions): Holding {
  const lost = new AbortController()
  const ended = new AbortController()
  let renewed = clock.now()
  const look = (): void => {
    try {
      runs.check(claim)
      const why = endRequest()
      if (why !== null) ended.abort(why)
      if (clock.now() - renewed < RENEW_MS) return
      runs.renew(claim)
      renewed = clock.now()
    } catch (error) {
      // A store that is locked or full for a moment is no loss; one that stays so is.
      if (error instanceof FenceLost) lost.abort(error)
      else if (clock.now() - renewed >= MOST_UNRENEWED_MS) lost.abort(new LeaseUnrenewed(claim.run, { cause: error }))
    }
  }
  const timer = setInterval(look, lookMs).unref()
  return { signal: lost.signal, ended: ended.signal, release: () => clearInterval(timer) }
}
