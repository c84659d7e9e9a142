// Objects and refs of a repository written as git writes them, but in this process: one file each, made aside and renamed, so that
// whoever looks sees a whole one or none. Only for the form that nearly every repository has; the others are git's own work.
import { createHash } from 'node:crypto'
import { closeSync, existsSync, openSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { deflateSync } from 'node:zlib'
import type { Clock } from '../../kernel/clock.ts'
import { fileError, isErrno, makeFolder, readFileIfThere } from '../../store/files.ts'
import { hashHere } from './hash-here.ts'
import type { NewCommit, Objects } from './objects.ts'
import { type ObjectKind, type PackedObject, packOf } from './pack.ts'
import { treeBuilder } from './tree-builder.ts'

/** Where objects and refs of a repository are kept. */
export interface ObjectStore {
  put: (object: NewObject) => void
  /** Makes a ref that is not there yet; false where it is, or where someone holds its name. */
  makeRef: (ref: string, commit: string) => boolean
  /** The highest number that a snapshot of this run has. */
  newest: (run: string) => number
  publish: () => void
}

interface NewObject {
  oid: string
  kind: ObjectKind
  content: Uint8Array
}

/** Names of objects are SHA-1, refs are files, and nobody else needs to write here. */
export function isPlainRepository(gitFolder: string): boolean {
  const config = readFileIfThere(join(gitFolder, 'config'))
  const isPlain = config !== null && !/^\s*(objectformat|refstorage|sharedrepository)\b/im.test(config)
  return isPlain && existsSync(join(gitFolder, 'objects')) && existsSync(join(gitFolder, 'refs'))
}

/** Objects named in this process, and kept wherever the store keeps them. */
export function ownObjects(store: ObjectStore, clock: Clock): Objects {
  const put = (kind: ObjectKind, content: Uint8Array, how = { store: true }): string => {
    const oid = createHash('sha1').update(`${kind} ${content.length}\0`).update(content).digest('hex')
    if (how.store) store.put({ oid, kind, content })
    return oid
  }
  return {
    hash: (files, { store: isStored, ...at }) => hashHere(files, at, content => put('blob', content, { store: isStored })),
    tree: stored => treeBuilder((content, isStored) => put('tree', content, { store: !isStored }), stored),
    commit: commit => Promise.resolve(put('commit', commitText(commit, clock))),
    makeRef: (ref, commit) => Promise.resolve(store.makeRef(ref, commit)),
    newest: run => Promise.resolve(store.newest(run)),
    publish: async () => store.publish(),
  }
}

interface LooseStore extends ObjectStore {
  /** Writes a ref whose name is nobody else's. */
  writeRef: (ref: string, commit: string) => void
  isTaken: (ref: string) => boolean
  /** Whether there is any snapshot of this run. */
  holds: (run: string) => boolean
}

/** Each object and each ref a file of its own. */
export function looseStore(gitFolder: string): LooseStore {
  const folder = join(gitFolder, 'objects')
  const packed = packedRefs(gitFolder)
  return {
    put: object => {
      try {
        storeObject(folder, object)
      } catch (error) {
        throw fileError(error, folder)
      }
    },
    makeRef: (ref, commit) => makeRef(gitFolder, { ref, commit, packed }),
    writeRef: (ref, commit) => writeRef(gitFolder, ref, commit),
    isTaken: ref => isTaken(gitFolder, ref, packed),
    newest: run => newestOf(gitFolder, run, packed),
    holds: run => numbersIn(gitFolder, run).length > 0 || packed().includes(` ${folderOf(run)}/`),
    publish: () => undefined,
  }
}

/** Objects that are together in one file, whatever their number. */
export function storePack(gitFolder: string, objects: readonly PackedObject[]): void {
  const folder = join(gitFolder, 'objects', 'pack')
  const { name, pack, index } = packOf(objects)
  const path = join(folder, `pack-${name}`)
  try {
    // Git knows a pack by its index, which therefore comes last.
    for (const [end, bytes] of [
      ['pack', pack],
      ['idx', index],
    ] as const) {
      const aside = join(folder, `tmp_${end}_${process.pid}_${++written}`)
      whileSwept(folder, () => {
        writeNew(aside, bytes, 0o444)
        renameSync(aside, `${path}.${end}`)
      })
    }
  } catch (error) {
    throw fileError(error, folder)
  }
}

let written = 0

function storeObject(folder: string, { oid, kind, content }: NewObject): void {
  const path = join(folder, oid.slice(0, 2), oid.slice(2))
  // A collection may be looking at its age at this moment: what is used again is young again.
  if (isFreshened(path)) return
  const bytes = deflateSync(Buffer.concat([Buffer.from(`${kind} ${content.length}\0`), content]), COMPRESSION)
  whileSwept(dirname(path), () => {
    const aside = join(dirname(path), `tmp_obj_${process.pid}_${++written}`)
    writeNew(aside, bytes, 0o444)
    renameSync(aside, path)
  })
}

/** Quick rather than small: most of these are shorter than a block of the disk. */
export const COMPRESSION = { level: 1, memLevel: 4, windowBits: 12 }
const MOST_TRIES = 20

/** Git removes folders that are empty, and a collection removes what was made aside: then it is made again. */
function whileSwept(folder: string, make: () => void): void {
  for (let tries = 1; ; tries++) {
    try {
      return make()
    } catch (error) {
      if (!isErrno(error, 'ENOENT') || tries === MOST_TRIES) throw error
      makeFolder(folder)
    }
  }
}

function isFreshened(path: string): boolean {
  if (!existsSync(path)) return false
  try {
    const now = Date.now() / 1000
    utimesSync(path, now, now)
    return true
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return false
    throw error
  }
}

function writeNew(path: string, bytes: Uint8Array, mode: number): void {
  const file = openSync(path, 'wx', mode)
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
  } catch (error) {
    // Half of it helps nobody, least of all on a full disk.
    rmSync(path, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
}

function commitText({ tree, parents, message }: NewCommit, clock: Clock): Buffer {
  const who = `QED <qed@localhost> ${Math.floor(clock.now() / 1000)} +0000`
  const head = [`tree ${tree}`, ...parents.map(parent => `parent ${parent}`), `author ${who}`, `committer ${who}`]
  return Buffer.from(`${head.join('\n')}\n\n${message}`)
}

/** By git's own protocol: whoever makes `<ref>.lock` has the name; the ref appears by renaming it. */
function makeRef(gitFolder: string, { ref, commit, packed }: { ref: string; commit: string; packed: () => string }): boolean {
  const path = join(gitFolder, ref)
  const lock = `${path}.lock`
  try {
    whileSwept(dirname(path), () => writeNew(lock, Buffer.from(`${commit}\n`), 0o644))
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false
    throw fileError(error, path)
  }
  const isThere = isTaken(gitFolder, ref, packed)
  if (isThere) rmSync(lock)
  else renameSync(lock, path)
  return !isThere
}

// Its own file first, as git does: one that is put among the packed ones meanwhile is missed in neither place.
function isTaken(gitFolder: string, ref: string, packed: () => string): boolean {
  return existsSync(join(gitFolder, ref)) || packed().includes(` ${ref}\n`)
}

/** A name that is kept for this commit elsewhere: any number of processes may write it, at the same time too. */
function writeRef(gitFolder: string, ref: string, commit: string): void {
  const path = join(gitFolder, ref)
  // Git takes nothing for a ref that ends like this.
  const aside = `${path}.${process.pid}-${++written}.lock`
  try {
    whileSwept(dirname(path), () => writeNew(aside, Buffer.from(`${commit}\n`), 0o644))
    renameSync(aside, path)
  } catch (error) {
    throw fileError(error, path)
  }
}

/** The refs that git has put into one file, which is read again only when it is another one. */
function packedRefs(gitFolder: string): () => string {
  const path = join(gitFolder, 'packed-refs')
  let known = { stamp: '', text: '' }
  return () => {
    const found = statSync(path, { throwIfNoEntry: false })
    const stamp = found ? `${found.mtimeMs} ${found.ino} ${found.size}` : ''
    if (stamp !== known.stamp) known = { stamp, text: readFileIfThere(path) ?? '' }
    return known.text
  }
}

function newestOf(gitFolder: string, run: string, packed: () => string): number {
  const loose = numbersIn(gitFolder, run)
  const inFile = [...packed().matchAll(new RegExp(` ${folderOf(run)}/(\\d+)$`, 'gm'))].map(match => Number(match[1]))
  return Math.max(0, ...loose, ...inFile)
}

function numbersIn(gitFolder: string, run: string): number[] {
  const names = namesIn(join(gitFolder, folderOf(run)))
  return names.filter(name => /^\d+$/.test(name)).map(Number)
}

function folderOf(run: string): string {
  return `refs/qed/snapshots/${run}`
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return []
    throw error
  }
}
