import { withoutValues } from '../redaction/value-redactor.ts'
import { holdsAny } from './holds-any.ts'
import { createKnownValues, type KnownValues } from './known-values.ts'
import type { Vault } from './vault.ts'

/** Looks for the bait of a vault where nothing of it may ever be: prompts, logs, evidence, notifications, git objects, output. */
export interface CanaryWatch {
  /** Whether a content holds it, in any form. If so, whoever must know is told where. Never throws. */
  look: (content: string | Uint8Array, where: string) => Promise<boolean>
  /** The baits known so far; more are known once `load` has settled. */
  known: () => readonly string[]
  load: () => Promise<readonly string[]>
  /** A text without the values of the vault that are known so far, in any form; a bait among them is told. */
  takeOut: (text: string, where: string) => string
  /** Tells that it was seen somewhere. */
  seen: (where: string) => void
  /** Tells a listener whenever it is seen, until what is given back is called. */
  follow: (listener: (where: string) => void) => () => void
}

export interface CanaryOptions {
  vault: () => Promise<Pick<Vault, 'stamp' | 'canaries' | 'values'>>
  /** Left out, nobody else looks for them. */
  values?: KnownValues
  onSeen: (where: string) => void
}

export function createCanaryWatch({ vault, values = createKnownValues(vault), onSeen }: CanaryOptions): CanaryWatch {
  let known: readonly string[] = []
  let read: string | null = null
  const listeners = new Set<(where: string) => void>()
  const seen = (where: string): void => {
    onSeen(where)
    for (const listener of listeners) listener(where)
  }
  const fresh = async (): Promise<readonly string[]> => {
    try {
      await values.load()
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
    takeOut: (text, where) => withoutValues(text, values.known(), value => known.includes(value) && seen(where)),
    seen,
    follow: listener => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async look(content, where) {
      const baits = await fresh()
      if (!holdsAny(content, baits)) return false
      seen(where)
      return true
    },
  }
}
