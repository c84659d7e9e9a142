import { createHash } from 'node:crypto'
import { closeSync, readSync } from 'node:fs'
import { inFolder, openPlain, openPlainAt } from './inside.ts'

const CHUNK = 1 << 20
const SMALL_CHUNK = 64 << 10

/** SHA-256 of a regular file below a root, in hex, in pieces: it may be larger than memory. */
export function digestOf(root: string, path: string): string {
  const file = openPlain(root, path)
  try {
    return digest(file, Buffer.allocUnsafe(CHUNK))
  } finally {
    closeSync(file)
  }
}

/** The same for many files, each folder opened once. What cannot be read is missing in the answer. */
export function digestsOf(root: string, paths: Iterable<string>): Map<string, string> {
  const digests = new Map<string, string>()
  const buffer = Buffer.allocUnsafe(SMALL_CHUNK)
  for (const [folder, names] of byFolder(paths)) {
    orUndefined(() =>
      inFolder(root, folder, 'find', at => {
        for (const name of names) {
          const found = orUndefined(() => digestIn(at, name, buffer))
          if (found !== undefined) digests.set(folder === '' ? name : `${folder}/${name}`, found)
        }
      }),
    )
  }
  return digests
}

function digestIn(at: string, name: string, buffer: Buffer): string {
  const file = openPlainAt(at, name)
  try {
    return digest(file, buffer)
  } finally {
    closeSync(file)
  }
}

function digest(file: number, buffer: Buffer): string {
  const hash = createHash('sha256')
  for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer)) hash.update(buffer.subarray(0, read))
  return hash.digest('hex')
}

function byFolder(paths: Iterable<string>): Map<string, string[]> {
  const folders = new Map<string, string[]>()
  for (const path of paths) {
    const slash = path.lastIndexOf('/')
    const folder = path.slice(0, Math.max(0, slash))
    const names = folders.get(folder)
    if (names) names.push(path.slice(slash + 1))
    else folders.set(folder, [path.slice(slash + 1)])
  }
  return folders
}

function orUndefined<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch {
    return undefined
  }
}
