import { setImmediate } from 'node:timers/promises'

const SLICE_MS = 8

/** For long work in this process: lets others go on whenever it has held them up for a while. Rejects when it is no longer wanted. */
export function breather(signal?: AbortSignal): () => Promise<void> | undefined {
  let since = performance.now()
  return () => {
    if (performance.now() - since < SLICE_MS) return undefined
    return setImmediate(undefined, { signal }).then(() => {
      since = performance.now()
    })
  }
}
