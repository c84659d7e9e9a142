import { chmodSync, closeSync, constants, fchmodSync, mkdirSync, openSync, rmdirSync, rmSync, symlinkSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Git } from '../git/git.ts'
import { readBlobs, type TreeEntry } from '../git/tree.ts'
import { lstatIfThere } from '../paths.ts'
import type { Change } from './changes.ts'

/** Makes a folder what a snapshot says, path by path: bytes, permissions, links and deletions. Never writes through a link. */
export async function carryOut(
  git: Git,
  root: string,
  changes: readonly Change[],
  to: { files: ReadonlyMap<string, TreeEntry>; modes: Record<string, string> },
): Promise<void> {
  for (const { path } of changes.filter(({ kind }) => kind === 'deleted')) removeFile(root, path)
  const wanted = changes.flatMap(({ path, kind }) => {
    const entry = kind === 'added' || kind === 'modified' ? to.files.get(path) : undefined
    return entry ? [entry] : []
  })
  const byOid = Map.groupBy(wanted, entry => entry.oid)
  let links: TreeEntry[] = []
  let open: { fd: number }[] = []
  let text: Buffer[] = []
  await readBlobs(git, [...byOid.keys()], {
    begin(oid) {
      const entries = byOid.get(oid) ?? []
      links = entries.filter(({ mode }) => mode === '120000')
      text = []
      open = entries.filter(({ mode }) => mode !== '120000').map(entry => ({ fd: create(root, entry, to.modes[entry.path]) }))
    },
    data(chunk) {
      if (links.length > 0) text.push(Buffer.from(chunk))
      for (const { fd } of open) writeAll(fd, chunk)
    },
    end() {
      for (const { fd } of open) closeSync(fd)
      for (const { path } of links) {
        makeWay(root, path)
        symlinkSync(Buffer.concat(text), join(root, path))
      }
    },
  })
  for (const { path, kind } of changes) {
    const entry = to.files.get(path)
    if (kind === 'mode' && entry) chmodSync(join(root, path), modeOf(entry, to.modes[path]))
  }
}

function create(root: string, entry: TreeEntry, odd: string | undefined): number {
  makeWay(root, entry.path)
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
  const fd = openSync(join(root, entry.path), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  fchmodSync(fd, modeOf(entry, odd))
  return fd
}

function modeOf({ mode }: TreeEntry, odd: string | undefined): number {
  return odd === undefined ? (mode === '100755' ? 0o755 : 0o644) : Number.parseInt(odd, 8)
}

/** Clears the path itself and anything that is no folder on the way to it. */
function makeWay(root: string, path: string): void {
  const parts = path.split('/').slice(0, -1)
  let at = root
  for (const part of parts) {
    at = join(at, part)
    const found = lstatIfThere(at)
    if (found && !found.isDirectory()) rmSync(at)
    if (!found?.isDirectory()) mkdirSync(at)
  }
  const last = lstatIfThere(join(root, path))
  if (last) rmSync(join(root, path), { recursive: true })
}

/** Removes a file, and the folders that are empty without it. */
export function removeFile(root: string, path: string): void {
  rmSync(join(root, path), { force: true })
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    try {
      rmdirSync(join(root, folder))
    } catch {
      // It holds more, or is gone: in both cases nothing to do above it.
      return
    }
  }
}

function writeAll(fd: number, chunk: Buffer): void {
  for (let at = 0; at < chunk.length; ) at += writeSync(fd, chunk, at)
}
