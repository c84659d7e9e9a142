import { holdsAny } from './holds-any.ts'
import type { Vault } from './vault.ts'

/** Looks for the bait of a vault where nothing of it may ever be: prompts, logs, evidence, notifications, git objects, output. */
export interface CanaryWatch {
  /** Whether a content holds it, in any form. If so, whoever must know is told where. Never throws. */
  look: (content: string | Uint8Array, where: string) => Promise<boolean>
  /** The baits known so far; more are known once `load` has settled. */
  known: () => readonly string[]
  load: () => Promise<readonly string[]>
  /** Tells that it was seen somewhere. */
  seen: (where: string) => void
}

export interface CanaryOptions {
  vault: () => Promise<Pick<Vault, 'stamp' | 'canaries'>>
  onSeen: (where: string) => void
}

export function createCanaryWatch({ vault, onSeen }: CanaryOptions): CanaryWatch {
  let known: readonly string[] = []
  let read: string | null = null
  const fresh = async (): Promise<readonly string[]> => {
    try {
      const { stamp, canaries } = await vault()
      const now = stamp()
      if (now === null || now === read) return known
      known = [...new Set([...known, ...(await canaries())])]
      read = now
    } catch {
      // A vault that cannot be read is used for nothing, so nothing of it can have got anywhere through QED. Tried again next time.
    }
    return known
  }
  return {
    known: () => known,
    load: fresh,
    seen: onSeen,
    async look(content, where) {
      const baits = await fresh()
      if (!holdsAny(content, baits)) return false
      onSeen(where)
      return true
    },
  }
}
