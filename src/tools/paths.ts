import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ToolError } from './tool.ts'

/** The absolute path that a model means. */
export function absolutePath(path: string, root: string): string {
  if (path.includes('\0')) throw new ToolError('A path cannot hold a NUL character.')
  // A shell would put the home there; taken as it is, a folder of that name would be made.
  if (/^~(?:\/|$)/.test(path)) throw new ToolError(`${path}: ~ means nothing here. Write the path relative to ${root}, or in full.`)
  const plain = /^file:\/\//i.test(path) ? pathOfUrl(path) : path
  return isAbsolute(plain) ? resolve(plain) : resolve(root, plain)
}

function pathOfUrl(url: string): string {
  try {
    return fileURLToPath(url)
  } catch {
    throw new ToolError(`${url} is not the address of a file on this machine. Write its path.`)
  }
}
