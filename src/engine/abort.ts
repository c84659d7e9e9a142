export const ABORTED = Symbol('aborted')

/** The promise's own end, or `ABORTED` when the signal came and the grace after it is over. Never leaves a timer behind. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined, graceMs: number): Promise<T | typeof ABORTED> {
  if (!signal) return work
  let timer: NodeJS.Timeout | undefined
  let stop: (() => void) | undefined
  const aborted = new Promise<typeof ABORTED>(resolve => {
    stop = () => {
      timer ??= setTimeout(() => resolve(ABORTED), graceMs)
    }
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  // Once the loop has gone on, nobody is left to hear of a late failure.
  work.catch(() => undefined)
  try {
    return await Promise.race([work, aborted])
  } finally {
    clearTimeout(timer)
    if (stop) signal.removeEventListener('abort', stop)
  }
}
