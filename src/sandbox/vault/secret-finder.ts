import type { CanaryWatch } from './canary.ts'
import { holdsAny } from './holds-any.ts'
import type { Vault } from './vault.ts'

export interface SecretFinderOptions {
  vault: Vault
  canary: CanaryWatch
  /** Values that processes were given: known even where the vault cannot be opened any more. */
  handedOut: ReadonlySet<string>
}

/** Makes the test whether a content holds a value of the vault; the vault is opened again only when it has changed. Where it cannot
 *  be opened, what was handed out is looked for: work is saved none the less. */
export function createSecretFinder({ vault, canary, handedOut }: SecretFinderOptions): () => Promise<(content: Buffer) => boolean> {
  let opened: { stamp: string; finds: (content: Buffer) => boolean } | null = null
  return async () => {
    const stamp = vault.stamp()
    if (stamp === null) return content => holdsAny(content, [...handedOut])
    if (opened?.stamp !== stamp) {
      const finds = await vault.finder().catch(() => null)
      opened = finds && { stamp, finds }
      await canary.load()
    }
    const finds = opened?.finds
    return content => {
      const found = finds?.(content) === true || holdsAny(content, [...handedOut])
      if (found && holdsAny(content, canary.known())) canary.seen('a changed file')
      return found
    }
  }
}
