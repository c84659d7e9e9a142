/** What a server sent with a call and wants to see again with it. */
interface Keepsake {
  /** Members of the assistant's message: thoughts, where they have to go back. */
  frame: object
  /** Members of the call itself: a signature. */
  call: object
}

export interface Keepsakes {
  keep: (callId: string, keepsake: Keepsake) => void
  of: (callId: string) => Keepsake | undefined
}

const MOST = 2_000

/** Kept while the program runs and never written down: a signature is of use to its server only, and after a restart a conversation
 *  goes on without. */
export function createKeepsakes(): Keepsakes {
  const kept = new Map<string, Keepsake>()
  return {
    keep: (callId, keepsake) => {
      kept.set(callId, keepsake)
      const [oldest] = kept.keys()
      if (kept.size > MOST && oldest !== undefined) kept.delete(oldest)
    },
    of: callId => kept.get(callId),
  }
}
