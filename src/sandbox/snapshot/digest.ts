import { createHash } from 'node:crypto'
import { closeSync, readSync } from 'node:fs'
import { openPlain } from './inside.ts'

const CHUNK = 1 << 20

/** SHA-256 of a regular file below a root, in hex, in pieces: it may be larger than memory. */
export function digestOf(root: string, path: string): string {
  const file = openPlain(root, path)
  try {
    const hash = createHash('sha256')
    const buffer = Buffer.allocUnsafe(CHUNK)
    for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer)) hash.update(buffer.subarray(0, read))
    return hash.digest('hex')
  } finally {
    closeSync(file)
  }
}
