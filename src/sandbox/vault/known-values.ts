import type { Vault } from './vault.ts'

/** Values of the vault that must not be seen anywhere. */
export interface KnownValues {
  /** The same list until more are known. */
  known: () => readonly string[]
  /** Opens the vault where it has changed. Never rejects: of one that cannot be opened, what was known stays known. */
  load: () => Promise<void>
  /** One that a process was given. */
  add: (value: string) => void
}

export function createKnownValues(vault: () => Promise<Pick<Vault, 'stamp' | 'values'>>): KnownValues {
  let known: readonly string[] = []
  let read: string | null = null
  const addAll = (values: readonly string[]): void => {
    if (values.some(value => !known.includes(value))) known = [...new Set([...known, ...values])]
  }
  return {
    known: () => known,
    add: value => addAll([value]),
    load: async () => {
      try {
        const { stamp, values } = await vault()
        const now = stamp()
        if (now === null || now === read) return
        addAll(await values())
        read = now
      } catch {
        // Work is done and saved all the same. Tried again next time.
      }
    },
  }
}
