// Many objects of a repository as one file and its index, in the form that git reads (version 2 of both).
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'

export type ObjectKind = 'blob' | 'tree' | 'commit'

export interface PackedObject {
  oid: string
  kind: ObjectKind
  /** Of the content itself. */
  size: number
  /** The content, deflated. */
  bytes: Uint8Array
}

const TYPES: Record<ObjectKind, number> = { commit: 1, tree: 2, blob: 3 }
const INDEX_MARK = Buffer.from([0xff, 0x74, 0x4f, 0x63])

export function packOf(objects: readonly PackedObject[]): { name: string; pack: Buffer; index: Buffer } {
  const sorted = objects.toSorted((a, b) => (a.oid < b.oid ? -1 : 1))
  const head = Buffer.concat([Buffer.from('PACK'), numbers([2, sorted.length])])
  const entries = sorted.map(({ kind, size, bytes }) => Buffer.concat([entryHead(TYPES[kind], size), bytes]))
  const pack = sealed([head, ...entries])
  let at = head.length
  const offsets = entries.map(entry => (at += entry.length) - entry.length)
  const index = sealed([
    INDEX_MARK,
    numbers([2, ...fanout(sorted)]),
    Buffer.from(sorted.map(({ oid }) => oid).join(''), 'hex'),
    numbers(entries.map(entry => crc32(entry))),
    numbers(offsets),
    pack.subarray(-20),
  ])
  return { name: pack.subarray(-20).toString('hex'), pack, index }
}

/** How many objects have a name whose first byte is at most this, for each byte. */
function fanout(sorted: readonly PackedObject[]): number[] {
  const byFirst = Map.groupBy(sorted, ({ oid }) => Number.parseInt(oid.slice(0, 2), 16))
  let sum = 0
  return Array.from({ length: 256 }, (_, first) => (sum += byFirst.get(first)?.length ?? 0))
}

/** Kind and size: four bits of the size beside the kind, then seven at a time, the lowest first. */
function entryHead(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 0x0f)]
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) bytes.push(rest & 0x7f)
  return Buffer.from(bytes.map((byte, i) => (i < bytes.length - 1 ? byte | 0x80 : byte)))
}

function numbers(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  values.forEach((value, i) => bytes.writeUInt32BE(value, 4 * i))
  return bytes
}

function sealed(parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([content, createHash('sha1').update(content).digest()])
}
