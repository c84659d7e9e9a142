/** How long a server may be silent: until anything comes of its answer, and from then on between two pieces of it. */
export interface Patience {
  signal: AbortSignal
  /** Something came. */
  alive: () => void
  /** Nothing is waited for any more. */
  end: () => void
  /** Nor is anything wanted that may still come. */
  giveUp: () => void
}

export interface PatienceMs {
  firstByteMs: number
  silenceMs: number
}

export class SilentTooLong extends Error {
  override readonly name = 'SilentTooLong'
}

export function createPatience({ firstByteMs, silenceMs }: PatienceMs): Patience {
  const over = new AbortController()
  const wait = (ms: number): NodeJS.Timeout =>
    setTimeout(() => over.abort(new SilentTooLong(`The model provider sent nothing for ${ms / 1000} s.`)), ms)
  let timer = wait(firstByteMs)
  let begun = false
  return {
    signal: over.signal,
    alive: () => {
      if (begun) {
        timer.refresh()
        return
      }
      begun = true
      clearTimeout(timer)
      timer = wait(silenceMs)
    },
    end: () => clearTimeout(timer),
    giveUp: () => over.abort(),
  }
}
