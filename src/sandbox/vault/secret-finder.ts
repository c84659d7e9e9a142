import type { CanaryWatch } from './canary.ts'
import { holdsAny } from './holds-any.ts'
import type { KnownValues } from './known-values.ts'

/** Makes the test whether a content holds a value of the vault. Where the vault cannot be opened, what is known of it is looked for:
 *  work is saved none the less. */
export function createSecretFinder(values: KnownValues, canary: CanaryWatch): () => Promise<(content: Buffer) => boolean> {
  return async () => {
    await Promise.all([values.load(), canary.load()])
    return content => {
      const found = holdsAny(content, values.known())
      if (found && holdsAny(content, canary.known())) canary.seen('a changed file')
      return found
    }
  }
}
