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
import { treeBuilder } from './tree-builder.ts'

/** Names a content, and puts it into the repository where asked. */
type PutObject = (kind: 'blob' | 'tree' | 'commit', content: Uint8Array, how?: { store: boolean }) => string

/** Names of objects are SHA-1, refs are files, and nobody else needs to write here. */
export function isPlainRepository(gitFolder: string): boolean {
  const config = readFileIfThere(join(gitFolder, 'config'))
  const isPlain = config !== null && !/^\s*(objectformat|refstorage|sharedrepository)\b/im.test(config)
  return isPlain && existsSync(join(gitFolder, 'objects')) && existsSync(join(gitFolder, 'refs'))
}

export function looseObjects(gitFolder: string, clock: Clock): Objects {
  const put = putter(join(gitFolder, 'objects'))
  const packed = packedRefs(gitFolder)
  return {
    hash: (files, { store, ...at }) => hashHere(files, at, content => put('blob', content, { store })),
    tree: stored => treeBuilder((content, isStored) => put('tree', content, { store: !isStored }), stored),
    commit: commit => Promise.resolve(put('commit', commitText(commit, clock))),
    makeRef: (ref, commit) => Promise.resolve(makeRef(gitFolder, { ref, commit, packed: packed() })),
    newest: run => Promise.resolve(newestOf(gitFolder, run, packed())),
  }
}

let written = 0

function putter(folder: string): PutObject {
  return (kind, content, { store } = { store: true }) => {
    const head = Buffer.from(`${kind} ${content.length}\0`)
    const oid = createHash('sha1').update(head).update(content).digest('hex')
    try {
      if (store) storeObject(folder, oid, Buffer.concat([head, content]))
      return oid
    } catch (error) {
      throw fileError(error, folder)
    }
  }
}

function storeObject(folder: string, oid: string, object: Buffer): void {
  const path = join(folder, oid.slice(0, 2), oid.slice(2))
  // A collection may be looking at its age at this moment: what is used again is young again.
  if (isFreshened(path)) return
  const bytes = deflateSync(object, COMPRESSION)
  whileSwept(dirname(path), () => {
    const aside = join(dirname(path), `tmp_obj_${process.pid}_${++written}`)
    writeNew(aside, bytes, 0o444)
    renameSync(aside, path)
  })
}

/** Quick rather than small: most of these are shorter than a block of the disk. */
const COMPRESSION = { level: 1, memLevel: 4, windowBits: 12 }
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
function makeRef(gitFolder: string, { ref, commit, packed }: { ref: string; commit: string; packed: string }): boolean {
  const path = join(gitFolder, ref)
  const lock = `${path}.lock`
  try {
    whileSwept(dirname(path), () => writeNew(lock, Buffer.from(`${commit}\n`), 0o644))
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false
    throw fileError(error, path)
  }
  const isTaken = existsSync(path) || packed.includes(` ${ref}\n`)
  if (isTaken) rmSync(lock)
  else renameSync(lock, path)
  return !isTaken
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

function newestOf(gitFolder: string, run: string, packed: string): number {
  const folder = `refs/qed/snapshots/${run}`
  const inFile = [...packed.matchAll(new RegExp(` ${folder}/(\\d+)$`, 'gm'))].map(match => Number(match[1]))
  const loose = namesIn(join(gitFolder, folder)).filter(name => /^\d+$/.test(name))
  return Math.max(0, ...inFile, ...loose.map(Number))
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return []
    throw error
  }
}
