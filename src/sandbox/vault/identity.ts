import { statSync } from 'node:fs'
import { join } from 'node:path'
import { readFileIfThere, writeFileAtomically } from '../../store/files.ts'
import { VaultUnreadable } from './errors.ts'

/** The person's own key. */
export interface Identity {
  secret: string
  recipient: string
}

const AGE_HEADER = 'age-encryption.org/v1'

/** Reads the identity, making one where there is none and `make` says so. Asks for a passphrase where the file is under one. */
export async function openIdentity(
  personal: string,
  options: { make: boolean; passphrase?: (() => Promise<string>) | undefined },
): Promise<Identity | null> {
  const age = await import('age-encryption')
  const file = join(personal, 'keys', 'vault.txt')
  const found = readFileIfThere(file)
  if (found === null) {
    if (!options.make) return null
    const made = await age.generateX25519Identity()
    // Only if missing: of two that start at once, both use the first one's.
    writeFileAtomically(file, `# QED vault identity. Keep it: without it the vault cannot be opened.\n${made}\n`, {
      private: true,
      onlyIfMissing: true,
    })
    return openIdentity(personal, { ...options, make: false })
  }
  if ((statSync(file).mode & 0o077) !== 0) throw new VaultUnreadable(file, 'others can read it; run chmod 600 on it first')
  const text = found.startsWith(AGE_HEADER) ? await opened(file, options.passphrase) : found
  const secret = text
    .split('\n')
    .find(line => line.startsWith('AGE-SECRET-KEY-1'))
    ?.trim()
  if (secret === undefined) throw new VaultUnreadable(file, 'it holds no age identity')
  return { secret, recipient: await age.identityToRecipient(secret) }
}

async function opened(file: string, passphrase: (() => Promise<string>) | undefined): Promise<string> {
  if (!passphrase) throw new VaultUnreadable(file, 'it is under a passphrase, and there is no terminal to ask on')
  const age = await import('age-encryption')
  const { readFileSync } = process.getBuiltinModule('node:fs')
  const decrypter = new age.Decrypter()
  decrypter.addPassphrase(await passphrase())
  try {
    return await decrypter.decrypt(readFileSync(file), 'text')
  } catch (cause) {
    throw new VaultUnreadable(file, 'the passphrase does not open it', { cause })
  }
}
