import { closeSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { isErrno } from '../../store/files.ts'
import { breather } from '../breathe.ts'
import { onDisk } from '../names.ts'
import { inFolder, openPlainAt } from '../snapshot/inside.ts'
import type { PlaceFile } from '../snapshot/walk.ts'

/** The objects of many files, each folder opened once; `name` says what a content is called. Others may go on in between. */
export async function hashHere(
  files: readonly PlaceFile[],
  { root, signal }: { root: string; signal?: AbortSignal | undefined },
  name: (content: Uint8Array) => string,
): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const breathe = breather(signal)
  for (const [folder, inside] of Map.groupBy(files, ({ path }) => path.slice(0, Math.max(0, path.lastIndexOf('/'))))) {
    for (let from = 0; from < inside.length; from += AT_ONCE) {
      const some = inside.slice(from, from + AT_ONCE)
      orSkip(() => inFolder(root, folder, 'find', at => hashSome(some, at, { name, found })))
      await breathe()
    }
  }
  return found
}

const AT_ONCE = 100

function hashSome(
  files: readonly PlaceFile[],
  at: string,
  { name, found }: { name: (content: Uint8Array) => string; found: Map<string, string> },
): void {
  for (const { path, kind } of files) {
    const own = path.slice(path.lastIndexOf('/') + 1)
    const content = orSkip(() => (kind === 'link' ? readlinkSync(onDisk(join(at, own)), 'buffer') : readPlain(at, own)))
    if (content) found.set(path, name(content))
  }
}

function readPlain(at: string, name: string): Buffer {
  const file = openPlainAt(at, name)
  try {
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

// Gone, or closed to us: it is missing in the answer, and whoever asked tells so.
function orSkip<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch (error) {
    if (isErrno(error, ...UNREADABLE)) return undefined
    throw error
  }
}

const UNREADABLE = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'ENOTREG', 'EINVAL', 'ENXIO', 'EIO', 'EBUSY', 'ESTALE', 'EISDIR']
