import { closeSync, constants, fchmodSync, openSync, rmdirSync, rmSync, symlinkSync, writeSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Git } from '../git/git.ts'
import { readBlobs, type TreeEntry } from '../git/tree.ts'
import { onDisk } from '../names.ts'
import type { Change } from './changes.ts'
import { inFolder, openPlain } from './inside.ts'

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
      for (const { path } of links) freshAt(root, path, at => symlinkSync(Buffer.concat(text), at))
    },
  })
  for (const { path, kind } of changes) {
    const entry = to.files.get(path)
    if (kind === 'mode' && entry) changeMode(root, path, modeOf(entry, to.modes[path]))
  }
}

function create(root: string, entry: TreeEntry, odd: string | undefined): number {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
  const fd = freshAt(root, entry.path, at => openSync(at, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600))
  fchmodSync(fd, modeOf(entry, odd))
  return fd
}

function changeMode(root: string, path: string, mode: number): void {
  const file = openPlain(root, path)
  try {
    fchmodSync(file, mode)
  } finally {
    closeSync(file)
  }
}

function modeOf({ mode }: TreeEntry, odd: string | undefined): number {
  return odd === undefined ? (mode === '100755' ? 0o755 : 0o644) : Number.parseInt(odd, 8)
}

/** Makes something new at a path, after clearing the path itself and anything that is no folder on the way to it. */
function freshAt<T>(root: string, path: string, make: (at: string | Buffer) => T): T {
  return inFolder(root, dirname(path), 'make', folder => {
    const at = onDisk(join(folder, basename(path)))
    rmSync(at, { recursive: true, force: true })
    return make(at)
  })
}

/** Removes a file, and the folders that are empty without it. */
export function removeFile(root: string, path: string): void {
  try {
    inFolder(root, dirname(path), 'find', folder => rmSync(onDisk(join(folder, basename(path))), { force: true }))
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) removeFolder(root, folder)
  } catch {
    // The way to it is gone, or it holds more: in both cases nothing to do above it.
  }
}

/** Removes an empty folder; throws where it is not empty. */
export function removeFolder(root: string, path: string): void {
  inFolder(root, dirname(path), 'find', folder => rmdirSync(onDisk(join(folder, basename(path)))))
}

function writeAll(fd: number, chunk: Buffer): void {
  for (let at = 0; at < chunk.length; ) at += writeSync(fd, chunk, at)
}
