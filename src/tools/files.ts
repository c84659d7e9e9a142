import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, lstatSync, readFileSync, statSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { isErrno } from '../store/files.ts'
import { type Source, ToolError } from './tool.ts'

const MOST_BYTES = 10 << 20

/** The content of a file; null where there is none. Throws `ToolError` with words for the model. */
export function readBytes(path: string, shown: string): Buffer | null {
  return ifThere(shown, () => {
    const size = sizeOf(path, shown)
    if (size > MOST_BYTES) throw new ToolError(`${shown} has ${size} bytes; files over ${MOST_BYTES} bytes are changed with bash only.`)
    return readFileSync(path)
  })
}

/** Of an ordinary file; nothing else is opened, because a pipe would be waited for. */
export function sizeOf(path: string, shown: string): number {
  const found = statSync(path)
  if (found.isDirectory()) throw new ToolError(`${shown} is a folder. Use ls to see what is in it.`)
  if (!found.isFile()) throw new ToolError(`${shown} is not an ordinary file.`)
  return found.size
}

/** What looking at a path gives; null where there is nothing. */
export function ifThere<T>(shown: string, look: () => T): T | null {
  try {
    return look()
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return null
    if (isErrno(error, 'EACCES', 'EPERM')) throw new ToolError(`${shown} may not be read: permission denied.`)
    if (isErrno(error, 'ELOOP')) throw new ToolError(`${shown} is a link that leads back to itself.`)
    if (isErrno(error, 'ENAMETOOLONG')) throw new ToolError(`${shown.slice(0, 100)}…: the name is too long. Take a shorter one.`)
    throw error
  }
}

/** The text of a file that is to be edited; null where there is none. A file that is not valid UTF-8 would not come back as it
 *  was, so it is refused. */
export function readForEdit(path: string, shown: string): string | null {
  const bytes = readBytes(path, shown)
  if (bytes !== null && !isUtf8(bytes)) throw new ToolError(`${shown} is not UTF-8 text; edit it with bash.`)
  return bytes === null ? null : bytes.toString('utf8')
}

export function lineCount(text: string): number {
  return text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
}

export function digestOf(content: Uint8Array | string | null): string | null {
  return content === null ? null : createHash('sha256').update(content).digest('hex')
}

/** What a result holds of a file. */
export function sourceOf(file: string, root: string, content: Uint8Array | string | null, given: string): Source {
  return { path: relative(root, file), sha256: digestOf(content), bytes: Buffer.byteLength(given) }
}

/** What a path holds now, by digest; null where there is nothing. */
export function digestNow(path: string): string | null {
  return digestOf(readBytes(path, path))
}

/** Refuses a file that could not be made: one above it is no folder, or is not to be written. */
export function refuseUnwritable(path: string, shown: string): void {
  const above = nearestAbove(path)
  if (!statSync(above).isDirectory()) throw new ToolError(`${shown} cannot be written: ${above} is a file, not a folder.`)
  try {
    accessSync(above, constants.W_OK)
  } catch {
    throw new ToolError(`${shown} may not be written: permission denied in ${above}.`)
  }
}

/** What there is of the folders that a path names. */
function nearestAbove(path: string): string {
  const above = dirname(path)
  return above === path || existsSync(above) ? above : nearestAbove(above)
}

/** Refuses to write through a link: what a path is said to be and what is changed must be the same. */
export function refuseLink(path: string, shown: string): void {
  try {
    if (lstatSync(path).isSymbolicLink()) throw new ToolError(`${shown} is a symbolic link. Write the file that it points to.`)
  } catch (error) {
    if (!isErrno(error, 'ENOENT', 'ENOTDIR')) throw error
  }
}
