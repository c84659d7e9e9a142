import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { DiskFull, FileUnusable } from './errors.ts'

export interface WriteOptions {
  /** Private files are readable by their owner alone. */
  private?: boolean
  /** Leave a file that is there as it is. */
  onlyIfMissing?: boolean
  /** Nobody waits until it is on the disk: what it holds can be had again. */
  quick?: boolean
  /** Exactly these rights, from the first moment on. */
  mode?: number | undefined
}

let written = 0

/** Writes the whole file or nothing: a reader sees the old bytes or the new ones, also after a crash. Says whether it wrote. */
export function writeFileAtomically(path: string, text: string | Uint8Array, options: WriteOptions = {}): boolean {
  const temporary = `${path}.${process.pid}-${++written}.tmp`
  try {
    makeFolder(dirname(path), options)
    writeNew(temporary, text, options)
    if (options.onlyIfMissing) return isLinked(temporary, path)
    renameSync(temporary, path)
    return true
  } catch (error) {
    rmSync(temporary, { force: true })
    throw fileError(error, path)
  }
}

/** Gives the file its name, where nothing has it yet. */
function isLinked(temporary: string, path: string): boolean {
  try {
    linkSync(temporary, path)
    return true
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false
    throw error
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** Removes what a process that died left beside a file which it was writing. */
export function removeUnfinished(path: string, pid: number): void {
  const begun = `${basename(path)}.${pid}-`
  try {
    for (const name of readdirSync(dirname(path)))
      if (name.startsWith(begun) && /^\d+\.tmp$/.test(name.slice(begun.length))) rmSync(join(dirname(path), name), { force: true })
  } catch (error) {
    if (!isErrno(error, 'ENOENT', 'ENOTDIR')) throw fileError(error, path)
  }
}

export function makeFolder(path: string, options: { private?: boolean } = {}): void {
  try {
    makeMissing(resolve(path), options.private ? 0o700 : 0o755)
  } catch (error) {
    throw fileError(error, path)
  }
}

// Not `recursive`: where a folder cannot be made although its parent is there (below /proc), Node tries for ever.
function makeMissing(path: string, mode: number): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  const parent = dirname(path)
  if (parent !== path) makeMissing(parent, mode)
  try {
    mkdirSync(path, mode)
  } catch (error) {
    // Another process made it meanwhile; if it made something else, the next step says so.
    if (!isErrno(error, 'EEXIST') || !statSync(path).isDirectory()) throw error
  }
}

/** The text of a file, or null where there is none. */
export function readFileIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null
    throw fileError(error, path)
  }
}

export function isErrno(error: unknown, ...codes: string[]): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

function writeNew(path: string, text: string | Uint8Array, options: WriteOptions): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, options.private ? 0o600 : 0o644)
  try {
    if (options.mode !== undefined) fchmodSync(file, options.mode)
    writeFileSync(file, text)
    if (!options.quick) fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

const UNUSABLE = ['EACCES', 'EPERM', 'EROFS', 'EISDIR', 'ENOTDIR', 'ENOENT', 'EEXIST', 'ELOOP', 'ENAMETOOLONG']

export function fileError(error: unknown, path: string): unknown {
  if (isErrno(error, 'ENOSPC', 'EDQUOT')) return new DiskFull(path, { cause: error })
  return isErrno(error, ...UNUSABLE) ? new FileUnusable(path, error.code ?? 'unknown', { cause: error }) : error
}
