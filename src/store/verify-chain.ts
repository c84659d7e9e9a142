import { sha256 } from '../kernel/sha256.ts'
import { type EventRow, GENESIS, linkHash, redactedDigest } from './event-log.ts'

export interface ChainReport {
  ok: boolean
  count: number
  head: { seq: number; hash: string } | null
  /** The first link that does not hold. */
  broken?: { seq: number; reason: string }
}

/** Walks the chain once and names the first broken link. Pure over the rows it is given. */
export function verifyChain(rows: Iterable<EventRow>): ChainReport {
  let head: { seq: number; hash: string } | null = null
  let count = 0
  const takenOut = new Map<number, string>()
  for (const row of rows) {
    const reason = brokenLink(row, head)
    if (reason) return { ok: false, count, head, broken: { seq: (head?.seq ?? 0) + 1, reason } }
    const digest = redactedDigest(row.data)
    if (digest) takenOut.set(row.seq, digest)
    else if (row.type === 'events.redacted') settle(takenOut, row)
    head = { seq: row.seq, hash: row.hash }
    count++
  }
  const [unexplained] = takenOut.keys()
  if (unexplained !== undefined) {
    return { ok: false, count, head, broken: { seq: unexplained, reason: 'its data was taken out without a record of the redaction' } }
  }
  return { ok: true, count, head }
}

function brokenLink(row: EventRow, head: { seq: number; hash: string } | null): string | null {
  const expected = (head?.seq ?? 0) + 1
  if (row.seq !== expected) return `event ${expected} is missing (the next one is ${row.seq})`
  if (row.prev !== (head?.hash ?? GENESIS)) return 'it does not link to the event before it'
  const dataDigest = redactedDigest(row.data) ?? sha256(row.data)
  return linkHash(row, dataDigest) === row.hash ? null : 'its content does not fit its hash'
}

function settle(takenOut: Map<number, string>, record: EventRow): void {
  const { seq, sha256: digest } = JSON.parse(record.data) as { seq: number; sha256: string }
  if (takenOut.get(seq) === digest) takenOut.delete(seq)
}
