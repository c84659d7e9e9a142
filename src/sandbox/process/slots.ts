/** So many at once; the others wait in the order in which they came. */
export interface Slots {
  /** Resolves to the function that gives the slot back, or to null where the signal came first. */
  take(signal?: AbortSignal): Promise<(() => void) | null>
}

export const NO_WAITING: Slots = { take: signal => Promise.resolve(signal?.aborted ? null : () => undefined) }

export function createSlots(most: number): Slots {
  let taken = 0
  const waiting: (() => void)[] = []

  const release = (): void => {
    taken--
    waiting.shift()?.()
  }
  return {
    take(signal) {
      if (signal?.aborted) return Promise.resolve(null)
      if (taken < most) {
        taken++
        return Promise.resolve(onceOnly(release))
      }
      return new Promise(settle => {
        const grant = (): void => {
          signal?.removeEventListener('abort', leave)
          taken++
          settle(onceOnly(release))
        }
        const leave = (): void => {
          waiting.splice(waiting.indexOf(grant), 1)
          settle(null)
        }
        waiting.push(grant)
        signal?.addEventListener('abort', leave, { once: true })
      })
    },
  }
}

function onceOnly(act: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    act()
  }
}
