import { formsOf } from './value-forms.ts'

/** Values of the vault, ready to be looked for in every form in which a program would print them. */
export interface VaultValues {
  needles: string[]
}

export const NO_VAULT: VaultValues = { needles: [] }
/** What the vault takes at least. */
const LEAST_BYTES = 8

export function vaultValues(values: Iterable<string>): VaultValues {
  const needles = new Set<string>()
  for (const value of values) {
    if (Buffer.byteLength(value) < LEAST_BYTES) continue
    for (const form of [value, ...formsOf(value)]) needles.add(form)
  }
  // Longest first, so that a value is not cut short by one that it contains.
  return { needles: [...needles].sort((a, b) => b.length - a.length) }
}
