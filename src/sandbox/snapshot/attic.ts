import { chmodSync, copyFileSync, cpSync, lstatSync, readlinkSync, renameSync, rmSync, type Stats, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { sha256 } from '../../kernel/sha256.ts'
import { isErrno, makeFolder, readFileIfThere, writeFileAtomically } from '../../store/files.ts'
import { onDisk } from '../names.ts'
import { lstatIfThere } from '../paths.ts'
import { digestOf } from './digest.ts'
import { inFolder } from './inside.ts'

interface AtticEntry {
  path: string
  mode: number
  size: number
  /** Of a file's bytes, or of a link's target; null for what has no content (a socket, a pipe). */
  sha256: string | null
}

/** What git does not take, kept by moving it. */
export interface Attic {
  readonly folder: string
  /** Moves files out of a place. The manifest is written before anything is moved, so nothing is ever without its line. */
  put: (root: string, paths: readonly string[]) => AtticEntry[]
  entries: () => AtticEntry[]
}

/** Several hauls of one run lie side by side: `<attic>/<run>/<n>/`. */
export function openAttic(state: string, run: string, haul = 'files'): Attic {
  const folder = join(state, 'attic', run)
  const manifest = join(folder, `${haul}.json`)
  const entries = (): AtticEntry[] => JSON.parse(readFileIfThere(manifest) ?? '[]') as AtticEntry[]
  return {
    folder: join(folder, haul),
    entries,
    put(root, paths) {
      const added = paths.flatMap(path => describe(root, path))
      if (added.length === 0) return []
      const kept = entries().filter(entry => !added.some(one => one.path === entry.path))
      writeFileAtomically(manifest, `${JSON.stringify([...kept, ...added])}\n`, { private: true })
      for (const { path } of added) move(root, path, join(folder, haul))
      return added
    },
  }
}

function describe(root: string, path: string): AtticEntry[] {
  const stat = lstatIfThere(join(root, path))
  if (!stat) return []
  return [{ path, mode: stat.mode & 0o7777, size: stat.size, sha256: contentDigest(root, path, stat) }]
}

function contentDigest(root: string, path: string, stat: Stats): string | null {
  try {
    if (stat.isSymbolicLink()) return sha256(readlinkSync(onDisk(join(root, path)), 'buffer'))
    return stat.isFile() ? digestOf(root, path) : null
  } catch (error) {
    // It may be moved without being read.
    if (isErrno(error, 'EACCES', 'EPERM')) return null
    throw error
  }
}

function move(root: string, path: string, into: string): void {
  makeFolder(into, { private: true })
  const name = basename(path)
  inFolder(into, dirname(path), 'make', target => {
    const to = join(target, name)
    rmSync(onDisk(to), { recursive: true, force: true })
    inFolder(root, dirname(path), 'find', source => rename(join(source, name), to))
    if (lstatIfThere(to)?.isFile()) chmodSync(onDisk(to), 0o600)
  })
}

function rename(from: string, to: string): void {
  try {
    renameSync(onDisk(from), onDisk(to))
  } catch (error) {
    if (isErrno(error, 'EACCES')) openAndRename(from, to)
    else if (isErrno(error, 'EXDEV')) copyOver(from, to)
    else throw error
  }
}

// A folder that is closed to its own owner cannot be moved as it is.
function openAndRename(from: string, to: string): void {
  chmodSync(onDisk(from), 0o700)
  renameSync(onDisk(from), onDisk(to))
}

// Another file system: the copy must be whole before the original goes. What is no file has no content to lose.
function copyOver(from: string, to: string): void {
  const stat = lstatSync(onDisk(from))
  if (stat.isSymbolicLink()) symlinkSync(readlinkSync(onDisk(from), 'buffer'), onDisk(to))
  else if (stat.isFile()) copyFileSync(onDisk(from), onDisk(to))
  else if (stat.isDirectory()) cpSync(from, to, { recursive: true, verbatimSymlinks: true })
  rmSync(onDisk(from), { recursive: true })
}
