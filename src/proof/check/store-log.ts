import type { EventLog, EventRow } from '../../store/event-log.ts'
import { verifyChain } from '../../store/verify-chain.ts'

/** What the event log says about an attestation that names its head. */
type LogCheck =
  | { kind: 'sound' }
  /** This store did not make it, so its log has nothing to say. */
  | { kind: 'elsewhere' }
  | { kind: 'broken'; reason: string }

/** The log of the store that is here, where one is. */
export type LookIntoLog = (head: { seq: number; hash: string } | null, envelopeSha256: string) => LogCheck

/** Walks the whole chain once. */
export function storeLog(log: Pick<EventLog, 'rows'>): LookIntoLog {
  return (head, envelope) => {
    let isOurs = false
    let hash: string | undefined
    const seen = function* (): Generator<EventRow> {
      for (const row of log.rows()) {
        if (row.type === 'proof.attested' && row.data.includes(`"envelope_sha256":"${envelope}"`)) isOurs = true
        if (row.seq === head?.seq) hash = row.hash
        yield row
      }
    }
    const { broken } = verifyChain(seen())
    if (broken) return { kind: 'broken', reason: `event ${broken.seq} of the log: ${broken.reason}` }
    if (head !== null && hash === head.hash) return { kind: 'sound' }
    if (head === null || !isOurs) return { kind: 'elsewhere' }
    return { kind: 'broken', reason: `event ${head.seq} of the log is not the one that was signed` }
  }
}
