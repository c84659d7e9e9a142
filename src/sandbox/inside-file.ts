import { readFileSync, statSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { namesInPatch } from '../policy/shell/patch-names.ts'
import type { Inside } from '../policy/types.ts'

const MOST_BYTES = 16 << 20
const MOST_UNPACKED = 64 << 20

/** The names in a patch, a tar or a zip archive; undefined where it is none, cannot be read for certain, or is too large. */
export function insideFile(path: string): Inside | undefined {
  const bytes = contentOf(path)
  if (bytes === null) return undefined
  if (bytes.subarray(0, 4).equals(ZIP_START)) return archive(zipNames(bytes))
  const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? unpackedGzip(bytes) : bytes
  if (plain === null) return undefined
  if (isTar(plain)) return archive(tarNames(plain))
  const names = plain === bytes && !plain.includes(0) ? namesInPatch(plain.toString('utf8')) : null
  return names ? { kind: 'patch', names } : undefined
}

function archive(names: string[] | null): Inside | undefined {
  return names ? { kind: 'archive', names: withoutParents(names) } : undefined
}

/** A folder that is listed beside its files adds nothing. */
function withoutParents(names: readonly string[]): string[] {
  const bare = new Set(names.map(name => name.replace(/^(?:\.\/)+|\/+$/g, '')).filter(name => name !== '' && name !== '.'))
  const parents = new Set([...bare].flatMap(name => name.split('/').map((_, i, parts) => parts.slice(0, i).join('/'))))
  return [...bare].filter(name => !parents.has(name))
}

function contentOf(path: string): Buffer | null {
  try {
    const stats = statSync(path)
    return stats.isFile() && stats.size <= MOST_BYTES ? readFileSync(path) : null
  } catch {
    // What cannot be read is not known; whoever asks then reckons with anything.
    return null
  }
}

function unpackedGzip(bytes: Buffer): Buffer | null {
  try {
    return gunzipSync(bytes, { maxOutputLength: MOST_UNPACKED })
  } catch {
    return null
  }
}

const BLOCK = 512

function isTar(bytes: Buffer): boolean {
  return bytes.length >= BLOCK && bytes.toString('latin1', 257, 262) === 'ustar'
}

/** Null where an entry is more than a file or a folder, or names itself in a way that tools disagree about. */
function tarNames(bytes: Buffer): string[] | null {
  const names: string[] = []
  for (let at = 0; at + BLOCK <= bytes.length; ) {
    const header = bytes.subarray(at, at + BLOCK)
    if (header.every(byte => byte === 0)) return names
    const size = Number.parseInt(textAt(header, 124, 12).trim() || '0', 8)
    const kind = textAt(header, 156, 1)
    if (!Number.isSafeInteger(size) || !'05'.includes(kind)) return null
    const prefix = textAt(header, 257, 6) === 'ustar' ? textAt(header, 345, 155) : ''
    const name = textAt(header, 0, 100)
    names.push(prefix === '' ? name : `${prefix}/${name}`)
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK
  }
  return names
}

function textAt(bytes: Buffer, start: number, length: number): string {
  const field = bytes.subarray(start, start + length)
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end < 0 ? length : end)
}

const ZIP_START = Buffer.from('PK\u0003\u0004', 'latin1')
const ZIP_END = Buffer.from('PK\u0005\u0006', 'latin1')
const ZIP_ENTRY = 0x02014b50
const LINK = 0o120000

/** By the directory at the end, which is what every tool unpacks by. */
function zipNames(bytes: Buffer): string[] | null {
  const end = bytes.lastIndexOf(ZIP_END)
  if (end < 0 || end + 22 > bytes.length) return null
  const count = bytes.readUInt16LE(end + 10)
  let at = bytes.readUInt32LE(end + 16)
  const names: string[] = []
  for (let i = 0; i < count; i++) {
    if (at + 46 > end || bytes.readUInt32LE(at) !== ZIP_ENTRY) return null
    const [name, extra, comment] = [28, 30, 32].map(offset => bytes.readUInt16LE(at + offset)) as [number, number, number]
    if (((bytes.readUInt32LE(at + 38) >>> 16) & 0o170000) === LINK) return null
    names.push(bytes.toString('utf8', at + 46, at + 46 + name))
    at += 46 + name + extra + comment
  }
  // Anything between the directory and its end is something else than a plain archive.
  return at === end ? names : null
}
