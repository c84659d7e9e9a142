import { chmodSync, copyFileSync, lstatSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sha256 } from '../../kernel/sha256.ts'
import { isErrno, makeFolder, readFileIfThere, writeFileAtomically } from '../../store/files.ts'
import { lstatIfThere } from '../paths.ts'
import { digestOf } from './digest.ts'

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
      for (const { path } of added) move(join(root, path), join(folder, haul, path))
      return added
    },
  }
}

function describe(root: string, path: string): AtticEntry[] {
  const stat = lstatIfThere(join(root, path))
  if (!stat) return []
  const content = stat.isFile() ? digestOf(root, path) : stat.isSymbolicLink() ? sha256(readlinkSync(join(root, path))) : null
  return [{ path, mode: stat.mode & 0o7777, size: stat.size, sha256: content }]
}

function move(from: string, to: string): void {
  makeFolder(dirname(to), { private: true })
  rmSync(to, { recursive: true, force: true })
  try {
    renameSync(from, to)
  } catch (error) {
    if (!isErrno(error, 'EXDEV')) throw error
    // Another file system: the copy must be whole before the original goes.
    if (lstatSync(from).isSymbolicLink()) symlinkSync(readlinkSync(from), to)
    else copyFileSync(from, to)
    rmSync(from)
  }
  if (lstatSync(to).isFile()) chmodSync(to, 0o600)
}
