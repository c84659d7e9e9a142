import { Buffer } from 'node:buffer'
import { createPrivateKey, type KeyObject, sign, verify } from 'node:crypto'
import { TooLarge } from '../../kernel/errors.ts'
import { canonicalJson, isPlainObject } from '../../kernel/json.ts'
import { strictJson } from '../strict-json.ts'

// DSSE (F-31): the signature is over the type and the exact bytes of the payload, so nothing has to be read before it is checked.

export const PAYLOAD_TYPE = 'application/vnd.in-toto+json'
/** One envelope; a note or a file may hold several. */
export const MOST_ENVELOPE_BYTES = 16 << 20

export interface Envelope {
  payloadType: string
  payload: Buffer
  keyid: string
  signature: Buffer
}

export type EnvelopeReading = { kind: 'envelope'; envelope: Envelope } | { kind: 'malformed'; reason: string }

/** What is signed: every length is in bytes, so no two pairs of type and body have the same encoding. */
export function preAuthEncoding(type: string, body: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`DSSEv1 ${Buffer.byteLength(type)} ${type} ${body.length} `), body])
}

/** One line of JSON that holds the statement and its signature. */
export function signStatement(statement: object, key: { keyid: string; privateKey: string }): string {
  const payload = Buffer.from(canonicalJson(statement))
  const signature = sign(null, preAuthEncoding(PAYLOAD_TYPE, payload), createPrivateKey(key.privateKey))
  const line = canonicalJson({
    payloadType: PAYLOAD_TYPE,
    payload: payload.toString('base64'),
    signatures: [{ keyid: key.keyid, sig: signature.toString('base64') }],
  })
  if (line.length > MOST_ENVELOPE_BYTES) throw new TooLarge('The attestation', { bytes: line.length, most: MOST_ENVELOPE_BYTES })
  return line
}

export function isSignedBy({ payloadType, payload, signature }: Envelope, key: KeyObject): boolean {
  return verify(null, preAuthEncoding(payloadType, payload), key, signature)
}

/** Takes only what QED writes: these members, one signature, base64 in its one exact form. Whoever wants to sign too adds a line
 *  of their own; so every byte of a line is bound by its signature or has only one way to be. */
export function readEnvelope(line: string): EnvelopeReading {
  if (line.length > MOST_ENVELOPE_BYTES) return malformed(`it is longer than ${MOST_ENVELOPE_BYTES} bytes`)
  const json = strictJson(line)
  if (json.kind === 'not-json') return malformed(json.reason)
  const { value } = json
  if (!isPlainObject(value) || !hasOnly(value, ['payload', 'payloadType', 'signatures']))
    return malformed('it has not the members of an envelope')
  const { payloadType, signatures } = value
  if (typeof payloadType !== 'string') return malformed('it has no payload type')
  if (!Array.isArray(signatures) || signatures.length !== 1) return malformed('it has not exactly one signature')
  const [signed] = signatures as unknown[]
  if (!isPlainObject(signed) || !hasOnly(signed, ['keyid', 'sig'])) return malformed('its signature has not the members of one')
  const { keyid } = signed
  if (typeof keyid !== 'string' || !/^[0-9a-f]{64}$/.test(keyid)) return malformed('its key id is not a SHA-256 in hex')
  const payload = base64(value['payload'])
  const signature = base64(signed['sig'])
  if (payload === null || payload.length === 0) return malformed('its payload is empty or not base64')
  if (signature === null) return malformed('its signature is not base64')
  return { kind: 'envelope', envelope: { payloadType, payload, keyid, signature } }
}

const malformed = (reason: string): EnvelopeReading => ({ kind: 'malformed', reason })

function hasOnly(value: object, members: readonly string[]): boolean {
  return Object.keys(value).toSorted().join() === members.join()
}

// Decoders ignore what they do not know, so that several texts give the same bytes; only the one that they give back is taken.
function base64(text: unknown): Buffer | null {
  if (typeof text !== 'string') return null
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : null
}
