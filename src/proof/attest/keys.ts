import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '../../kernel/sha256.ts'
import { readFileIfThere, writeFileAtomically } from '../../store/files.ts'
import { ProofKeyUnreadable, ProofKeyUnsafe } from './errors.ts'

export interface PublicKey {
  /** Hex SHA-256 of the key's SPKI DER. */
  keyid: string
  /** SPKI in PEM. */
  public_key: string
}

export interface ProofKey extends PublicKey {
  file: string
  /** PKCS #8 in PEM. Never leaves this process. */
  privateKey: string
}

export function proofKeyFile(personal: string): string {
  return join(personal, 'keys', 'proof-ed25519.pem')
}

/** The person's own key, made at its first use. Of two that start at once, both get the one that was written first. Throws
 *  where others can read or replace it. */
export function openProofKey(personal: string): ProofKey {
  const there = readProofKey(personal)
  if (there !== null) return there
  writeFileAtomically(proofKeyFile(personal), newPrivateKey(), { private: true, onlyIfMissing: true })
  return openProofKey(personal)
}

/** The same, where nothing is to be made: null where there is none. */
export function readProofKey(personal: string): ProofKey | null {
  const file = proofKeyFile(personal)
  const privateKey = readFileIfThere(file)
  if (privateKey === null) return null
  const reason = unsafety(file)
  if (reason !== null) throw new ProofKeyUnsafe(file, reason)
  return { ...publicKeyOf(parsePrivate(privateKey, file)), file, privateKey }
}

export function newPrivateKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

/** Takes a private or a public key. */
export function publicKeyOf(key: KeyObject): PublicKey {
  const open = key.type === 'private' ? createPublicKey(key.export({ type: 'pkcs8', format: 'pem' })) : key
  return {
    keyid: sha256(open.export({ type: 'spki', format: 'der' })),
    public_key: open.export({ type: 'spki', format: 'pem' }).toString(),
  }
}

function parsePrivate(text: string, file: string): KeyObject {
  let key: KeyObject
  try {
    key = createPrivateKey(text)
  } catch (cause) {
    throw new ProofKeyUnreadable(file, { cause })
  }
  if (key.asymmetricKeyType !== 'ed25519') throw new ProofKeyUnreadable(file)
  return key
}

function unsafety(file: string): string | null {
  const stat = lstatSync(file)
  if (!stat.isFile()) return 'it is not an ordinary file'
  const own = process.getuid?.()
  // Where the system knows no user numbers, it has no such modes either.
  if (own === undefined) return null
  if (stat.uid !== own) return 'it belongs to another user'
  const others = stat.mode & 0o077
  return others === 0 ? null : `others have rights on it (mode ${(stat.mode & 0o777).toString(8)})`
}
