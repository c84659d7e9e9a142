import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { parseJson } from '../../kernel/json.ts'
import { isErrno } from '../../store/files.ts'
import { VaultUnreadable } from './errors.ts'
import type { Identity } from './identity.ts'

const Plain = () =>
  z.strictObject({
    version: z.literal(1),
    secrets: z.record(z.string(), z.strictObject({ value: z.string(), created_at: z.string(), note: z.string().optional() })),
  })
export type Plain = z.infer<ReturnType<typeof Plain>>

/** A value that nothing is ever given: wherever it shows, the vault has leaked. */
export const CANARY = 'QED_CANARY'

export const EMPTY: Plain = { version: 1, secrets: {} }

/** A copy that has its bait: also where another tool made the vault. */
export function withCanary(plain: Plain, at: string): Plain {
  const bait = { [CANARY]: { value: `qed-canary-${randomBytes(24).toString('hex')}`, created_at: at } }
  return { ...plain, secrets: { ...bait, ...plain.secrets } }
}

/** What the bytes of a vault file hold. */
export async function openVault(file: string, bytes: Buffer, identity: Identity | null): Promise<Plain> {
  if (identity === null) throw new VaultUnreadable(file, 'there is no identity to open it with')
  const age = await import('age-encryption')
  const decrypter = new age.Decrypter()
  decrypter.addIdentity(identity.secret)
  let text: string
  try {
    text = await decrypter.decrypt(bytes, 'text')
  } catch (cause) {
    throw new VaultUnreadable(file, 'it is broken, or made for another identity', { cause })
  }
  const parsed = Plain().safeParse(parseJson(text))
  if (!parsed.success) throw new VaultUnreadable(file, 'what is inside has another form')
  return parsed.data
}

export async function sealVault(identity: Identity, plain: Plain): Promise<Uint8Array> {
  const age = await import('age-encryption')
  const encrypter = new age.Encrypter()
  encrypter.addRecipient(identity.recipient)
  return encrypter.encrypt(JSON.stringify(plain))
}

/** Null where there is no such file. */
export function bytesOf(file: string): Buffer | null {
  try {
    return readFileSync(file)
  } catch (cause) {
    if (isErrno(cause, 'ENOENT')) return null
    throw new VaultUnreadable(file, 'the file cannot be opened', { cause })
  }
}
