import { createPublicKey, type KeyObject } from 'node:crypto'
import { join } from 'node:path'
import * as z from 'zod'
import { type Clock, timestamp } from '../../kernel/clock.ts'
import { parseJson } from '../../kernel/json.ts'
import { readFileIfThere, writeFileAtomically } from '../../store/files.ts'
import { TrustUnreadable } from './errors.ts'
import { newPrivateKey, openProofKey, type ProofKey, proofKeyFile, publicKeyOf, readProofKey } from './keys.ts'

// F-36: whom to believe is the checker's own business. A key in the repository or in an envelope counts for nothing.

const TrustedKey = () =>
  z.strictObject({
    keyid: z.string().optional(),
    public_key: z.string(),
    /** Whose it is, for people. */
    name: z.string().optional(),
    /** Statements that say they are younger are not believed. */
    not_after: z.iso.datetime().optional(),
  })
const TrustFile = () => z.strictObject({ keys: z.array(TrustedKey()) })
type TrustFile = z.infer<ReturnType<typeof TrustFile>>

export interface Trusted {
  keyid: string
  key: KeyObject
  name?: string | undefined
  not_after?: string | undefined
}

export function trustFile(personal: string): string {
  return join(personal, 'trust.json')
}

/** The keys that a checker believes: those of the file that was named and no other; else `trust.json` and the person's own key. */
export function trustedKeys(personal: string, named?: string): Trusted[] {
  if (named !== undefined) return readTrust(named, { mustExist: true }).keys.map(entry => asTrusted(entry, named))
  const file = trustFile(personal)
  const listed = readTrust(file).keys.map(entry => asTrusted(entry, file))
  const own = readProofKey(personal)
  // An entry for the own key may limit it, and then holds.
  if (own === null || listed.some(({ keyid }) => keyid === own.keyid)) return listed
  return [...listed, { keyid: own.keyid, key: createPublicKey(own.public_key), name: 'this machine' }]
}

/** A new key from now on; what the old one signed stays valid. For a person only. First the list, then the key: broken off in
 *  between, the old key is there and no longer believed, and doing it again mends that. */
export function rotateProofKey(personal: string, clock: Clock): { key: ProofKey; retired: string } {
  const { keyid, public_key } = openProofKey(personal)
  const file = trustFile(personal)
  const entries = readTrust(file).keys
  const isOld = (entry: TrustFile['keys'][number]): boolean => asTrusted(entry, file).keyid === keyid
  const before = entries.find(isOld) ?? { name: 'this machine, before' }
  const retired = { not_after: timestamp(clock), ...before, keyid, public_key }
  const keys = [...entries.filter(entry => !isOld(entry)), retired]
  writeFileAtomically(file, `${JSON.stringify({ keys } satisfies TrustFile, null, 2)}\n`, { private: true })
  writeFileAtomically(proofKeyFile(personal), newPrivateKey(), { private: true })
  return { key: openProofKey(personal), retired: keyid }
}

function readTrust(file: string, options: { mustExist?: boolean } = {}): TrustFile {
  const text = readFileIfThere(file)
  if (text === null) {
    if (options.mustExist) throw new TrustUnreadable(file, 'it is not there')
    return { keys: [] }
  }
  const parsed = TrustFile().safeParse(parseJson(text))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new TrustUnreadable(file, `${issue?.path.join('.') || 'the file'}: ${issue?.message ?? 'not readable'}`)
}

function asTrusted({ keyid, public_key, name, not_after }: TrustFile['keys'][number], file: string): Trusted {
  const key = parsePublic(public_key)
  if (key === null) throw new TrustUnreadable(file, `${name ?? keyid ?? 'a key'} is not an ed25519 public key in PEM`)
  const real = publicKeyOf(key).keyid
  if (keyid !== undefined && keyid !== real) throw new TrustUnreadable(file, `the key listed as ${keyid} is really ${real}`)
  return { keyid: real, key, name, not_after }
}

function parsePublic(pem: string): KeyObject | null {
  // Node would derive a public key from a private one; a list of keys is no place for those.
  if (!pem.includes('-----BEGIN PUBLIC KEY-----')) return null
  try {
    const key = createPublicKey(pem)
    return key.asymmetricKeyType === 'ed25519' ? key : null
  } catch {
    return null
  }
}
