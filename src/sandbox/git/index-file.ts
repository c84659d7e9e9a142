import { readFileSync, statSync } from 'node:fs'
import { isErrno } from '../../store/files.ts'
import { decodeNames } from '../names.ts'

/** What git noted of a file when it last compared it. */
export interface IndexEntry {
  oid: string
  size: number
  /** As a look at the file would have it. */
  stamp: string
}

const FIXED = 62
const EXTENDED = 0x4000
/** Merging, assumed unchanged: nothing to go by. */
const DOUBTFUL = 0xb000
const FILE = 0o100000

/** The files of an index, of the two plain versions and with SHA-1 names. Those that changed in the very moment it was written are
 *  left out: git itself compares them again. Empty where it cannot be read. */
export function readIndex(path: string): Map<string, IndexEntry> {
  const found = new Map<string, IndexEntry>()
  const index = bytesOf(path)
  if (!index || index.bytes.length < 12 || index.bytes.toString('latin1', 0, 4) !== 'DIRC') return found
  const { bytes, writtenNs } = index
  const version = bytes.readUInt32BE(4)
  if (version !== 2 && version !== 3) return found
  let at = 12
  for (let left = bytes.readUInt32BE(8); left > 0 && at + FIXED < bytes.length; left--) {
    const flags = bytes.readUInt16BE(at + 60)
    const name = at + FIXED + (flags & EXTENDED ? 2 : 0)
    const end = bytes.indexOf(0, name)
    if (end < 0) break
    const mtime = timeAt(bytes, at + 8)
    const isPlain = (flags & (DOUBTFUL | EXTENDED)) === 0 && (bytes.readUInt32BE(at + 24) & 0o170000) === FILE
    if (isPlain && mtime < writtenNs) {
      const size = bytes.readUInt32BE(at + 36)
      const stamp = `${timeAt(bytes, at)}-${mtime}-${bytes.readUInt32BE(at + 20)}-${size}`
      found.set(decodeNames(bytes.subarray(name, end)), { oid: bytes.toString('hex', at + 40, at + 60), size, stamp })
    }
    // Each entry is filled up to a multiple of eight.
    at += (end - at + 8) & ~7
  }
  return found
}

function timeAt(bytes: Buffer, at: number): bigint {
  return BigInt(bytes.readUInt32BE(at)) * 1_000_000_000n + BigInt(bytes.readUInt32BE(at + 4))
}

function bytesOf(path: string): { bytes: Buffer; writtenNs: bigint } | null {
  try {
    return { writtenNs: statSync(path, { bigint: true }).mtimeNs, bytes: readFileSync(path) }
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EISDIR')) return null
    throw error
  }
}
