import { sha256 } from '../../kernel/sha256.ts'
import { type Envelope, isSignedBy, PAYLOAD_TYPE, readEnvelope } from '../attest/envelope.ts'
import { PREDICATE_TYPE, STATEMENT_TYPE, Statement } from '../attest/statement.ts'
import type { Trusted } from '../attest/trust.ts'
import { strictJson } from '../strict-json.ts'
import type { CheckStep } from './outcomes.ts'

/** A line whose signature is good, by a key that the checker trusts. */
export interface Signed {
  kind: 'signed'
  line: string
  sha256: string
  keyid: string
  signer: string | undefined
  statement: Statement
}

export type LineReading =
  | Signed
  | { kind: 'tampered'; step: CheckStep; reason: string }
  | { kind: 'unknown-signer'; keyid: string; reason: string }
  /** Well signed, but a statement of another kind, such as a test result. */
  | { kind: 'other'; predicateType: string }

/** The first five steps of F-35 on one line. Pure; never throws, whatever the line holds. */
export function readLine(line: string, trusted: readonly Trusted[]): LineReading {
  const reading = readEnvelope(line)
  if (reading.kind === 'malformed') return tampered('parse', reading.reason)
  const { envelope } = reading
  if (envelope.payloadType !== PAYLOAD_TYPE) return tampered('payload-type', `the payload type is ${JSON.stringify(envelope.payloadType)}`)
  const signer = signerOf(envelope, trusted)
  if (signer.kind !== 'signer') return signer
  return readStatement(envelope, line, signer.trusted)
}

type Signer = { kind: 'signer'; trusted: Trusted } | Extract<LineReading, { kind: 'tampered' | 'unknown-signer' }>

// The key id is only a hint and not signed: with a wrong one the signature is still tried, so that an edit of it is seen as one.
function signerOf(envelope: Envelope, trusted: readonly Trusted[]): Signer {
  const named = trusted.find(({ keyid }) => keyid === envelope.keyid)
  if (named)
    return isSignedBy(envelope, named.key)
      ? { kind: 'signer', trusted: named }
      : tampered('signature', 'the signature does not fit the content')
  const real = trusted.find(({ key }) => isSignedBy(envelope, key))
  if (real) return tampered('signature', `it names the key ${envelope.keyid} but was signed by ${real.keyid}`)
  return { kind: 'unknown-signer', keyid: envelope.keyid, reason: `the key ${envelope.keyid} is not trusted here` }
}

function readStatement(envelope: Envelope, line: string, { keyid, name, not_after }: Trusted): LineReading {
  const json = strictJson(envelope.payload.toString('utf8'))
  if (json.kind === 'not-json') return tampered('statement', `the payload cannot be read: ${json.reason}`)
  const { _type: type, predicateType } = Object(json.value) as { _type?: unknown; predicateType?: unknown }
  if (type !== STATEMENT_TYPE) return tampered('statement', 'the payload is not an in-toto statement')
  if (predicateType !== PREDICATE_TYPE) return { kind: 'other', predicateType: String(predicateType) }
  const parsed = Statement().safeParse(json.value)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return tampered('statement', `the statement does not fit its type: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`)
  }
  const contradiction = contradictionIn(parsed.data)
  if (contradiction !== null) return tampered('statement', contradiction)
  const { ended_at } = parsed.data.predicate
  if (not_after !== undefined && Date.parse(ended_at) > Date.parse(not_after))
    return { kind: 'unknown-signer', keyid, reason: `the key ${keyid} is trusted until ${not_after}, and this is of ${ended_at}` }
  return { kind: 'signed', line, sha256: sha256(line), keyid, signer: name, statement: parsed.data }
}

// QED never writes these; whoever did has the key and not the program.
function contradictionIn({ predicate }: Statement): string | null {
  const { verdict, causes, findings, gates } = predicate
  if (verdict === 'not_proven') return null
  if (causes.length > 0) return `it says proven and names the cause ${causes[0]}`
  const against = findings.find(({ severity, accepted }) => severity === 'error' || (severity === 'review' && accepted === undefined))
  if (against) return `it says proven and holds the finding ${against.id}`
  const gate = gates.find(({ passed }) => !passed)
  return gate ? `it says proven and the gate ${gate.name} did not pass` : null
}

function tampered(step: CheckStep, reason: string): Extract<LineReading, { kind: 'tampered' }> {
  return { kind: 'tampered', step, reason }
}
