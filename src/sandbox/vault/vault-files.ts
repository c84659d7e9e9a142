import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, timestamp } from '../../kernel/clock.ts'
import { writeFileAtomically } from '../../store/files.ts'
import { SecretRefused } from './errors.ts'
import { type Identity, openIdentity } from './identity.ts'
import { whileLocked } from './lock.ts'
import { bytesOf, EMPTY, openVault, type Plain, sealVault, withCanary } from './vault-file.ts'

export const SCOPES = ['project', 'personal'] as const
export type VaultScope = (typeof SCOPES)[number]

export interface VaultOptions {
  /** `.qed` of the project; null outside one. */
  project: string | null
  personal: string
  clock: Clock
  passphrase?: () => Promise<string>
}

/** The two files of the vault, opened and changed as a whole. */
interface VaultFiles {
  both: () => Promise<Record<VaultScope, Plain | null>>
  /** Changes one; of several QED that do so at once none loses what another wrote. */
  change: (scope: VaultScope, alter: (plain: Plain) => void) => Promise<void>
  /** Changes whenever a file does; null where there is none. Opens nothing. */
  stamp: () => string | null
}

const MOST_TRIES = 100

export function createVaultFiles({ project, personal, clock, passphrase }: VaultOptions): VaultFiles {
  const fileOf = (scope: VaultScope): string | null => {
    const folder = scope === 'project' ? project : personal
    return folder === null ? null : join(folder, 'vault', 'secrets.age')
  }
  let asked: Promise<string> | undefined
  const askOnce = passphrase && (() => (asked ??= passphrase()))
  const identity = (make: boolean): Promise<Identity | null> => openIdentity(personal, { make, passphrase: askOnce })
  const read = async (scope: VaultScope): Promise<Plain | null> => {
    const file = fileOf(scope)
    const bytes = file === null ? null : bytesOf(file)
    return file === null || bytes === null ? null : openVault(file, bytes, await identity(false))
  }
  const both = async (): Promise<Record<VaultScope, Plain | null>> => {
    const [ofProject, ofPerson] = await Promise.all([read('project'), read('personal')])
    return { project: ofProject, personal: ofPerson }
  }
  // Read first: a file that cannot be read throws here, before anything is written over it. Written only if it is still what was
  // read: of two that change it at once, the second one starts over.
  const change = async (scope: VaultScope, alter: (plain: Plain) => void): Promise<void> => {
    const file = fileOf(scope)
    if (file === null) throw new SecretRefused(scope, 'there is no project here')
    const own = await identity(true)
    if (own === null) throw new SecretRefused(scope, 'the identity vanished while it was made')
    for (let tries = 1; ; tries++) {
      const before = bytesOf(file)
      const plain = withCanary((before && (await openVault(file, before, own))) ?? EMPTY, timestamp(clock))
      alter(plain)
      const after = await sealVault(own, plain)
      const written = whileLocked(join(personal, 'state', 'vault-lock.db'), () => {
        if (!isSame(before, bytesOf(file))) return false
        writeFileAtomically(file, after, { private: true })
        return true
      })
      if (written) return
      if (tries === MOST_TRIES) throw new SecretRefused(scope, 'others keep changing the vault; try again')
    }
  }
  return {
    both,
    change,
    stamp: () => {
      const stamps = SCOPES.map(scope => fileOf(scope)).map(file =>
        file === null ? undefined : statSync(file, { bigint: true, throwIfNoEntry: false }),
      )
      const told = stamps.map(stat => (stat ? `${stat.ino}-${stat.mtimeNs}-${stat.size}` : ''))
      return told.every(text => text === '') ? null : told.join(' ')
    },
  }
}

function isSame(a: Buffer | null, b: Buffer | null): boolean {
  return a === null || b === null ? a === b : a.equals(b)
}
