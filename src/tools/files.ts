import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { lstatSync, readFileSync, statSync } from 'node:fs'
import { relative } from 'node:path'
import { isErrno } from '../store/files.ts'
import { type Source, ToolError } from './tool.ts'

const MOST_BYTES = 10 << 20

/** The text of a file. Throws `ToolError` with words for the model. */
export function readText(path: string, shown: string): string {
  const bytes = readBytes(path, shown)
  if (bytes === null) throw new ToolError(`${shown} does not exist. Look with ls or glob for the right name.`)
  if (bytes.subarray(0, 8_192).includes(0))
    throw new ToolError(`${shown} is a binary file of ${bytes.length} bytes; it cannot be read as text.`)
  return bytes.toString('utf8')
}

/** The content of a file; null where there is none. */
export function readBytes(path: string, shown: string): Buffer | null {
  try {
    const found = statSync(path)
    if (found.isDirectory()) throw new ToolError(`${shown} is a folder. Use ls to see what is in it.`)
    if (!found.isFile()) throw new ToolError(`${shown} is not an ordinary file.`)
    if (found.size > MOST_BYTES)
      throw new ToolError(`${shown} has ${found.size} bytes; at most ${MOST_BYTES} can be read. Use grep, or bash with head or sed.`)
    return readFileSync(path)
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return null
    if (isErrno(error, 'EACCES', 'EPERM')) throw new ToolError(`${shown} may not be read: permission denied.`)
    if (isErrno(error, 'ELOOP')) throw new ToolError(`${shown} is a link that leads back to itself.`)
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

/** Refuses to write through a link: what a path is said to be and what is changed must be the same. */
export function refuseLink(path: string, shown: string): void {
  try {
    if (lstatSync(path).isSymbolicLink()) throw new ToolError(`${shown} is a symbolic link. Write the file that it points to.`)
  } catch (error) {
    if (!isErrno(error, 'ENOENT', 'ENOTDIR')) throw error
  }
}
