import { type Dirent, readdirSync } from 'node:fs'

// File names are bytes. One that is no UTF-8 carries each odd byte as a lone surrogate (U+DC80 to U+DCFF): so it stays a text that
// can be compared, joined and written as JSON, and leads back to the very same bytes.

const ODD = 0xdc00

/** A path as the system takes it. */
export function onDisk(path: string): string | Buffer {
  return path.isWellFormed() ? path : encodeNames(path)
}

export function encodeNames(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8')
  const pieces = text.split(/([\udc80-\udcff])/u).map(piece => {
    const code = piece.length === 1 ? piece.charCodeAt(0) : 0
    return code >= ODD + 0x80 && code <= ODD + 0xff ? Buffer.from([code - ODD]) : Buffer.from(piece, 'utf8')
  })
  return Buffer.concat(pieces)
}

export function decodeNames(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  if (!text.includes('\ufffd')) return text
  let decoded = ''
  for (let at = 0; at < bytes.length; ) {
    const length = lengthAt(bytes[at] ?? 0)
    const piece = bytes.subarray(at, at + length)
    const known = piece.toString('utf8')
    const isSound = piece.length === length && Buffer.from(known, 'utf8').equals(piece)
    decoded += isSound ? known : String.fromCharCode(ODD + (bytes[at] ?? 0))
    at += isSound ? length : 1
  }
  return decoded
}

function lengthAt(byte: number): number {
  return byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
}

export interface FolderItem {
  name: string
  kind: 'file' | 'folder' | 'link' | 'other'
}

/** What is in a folder, by its real names. Throws like readdir does. */
export function itemsIn(folder: string): FolderItem[] {
  const entries = readdirSync(onDisk(folder), { withFileTypes: true })
  if (!entries.some(({ name }) => name.includes('\ufffd'))) return entries.map(entry => ({ name: entry.name, kind: kindOf(entry) }))
  return readdirSync(onDisk(folder), { withFileTypes: true, encoding: 'buffer' }).map(entry => ({
    name: decodeNames(entry.name),
    kind: kindOf(entry),
  }))
}

function kindOf(entry: Dirent | Dirent<Buffer>): FolderItem['kind'] {
  return entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : entry.isSymbolicLink() ? 'link' : 'other'
}
