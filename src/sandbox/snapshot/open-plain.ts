import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import { join } from 'node:path'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants

/** Opens a regular file below a root without going through a link anywhere on the way; a worker may swap one in at any moment.
 *  Throws like open does, and where it is not a regular file. */
export function openPlain(root: string, path: string): number {
  const parts = path.split('/')
  const name = parts.pop() ?? ''
  let folder = openSync(root, O_RDONLY | O_DIRECTORY)
  try {
    for (const part of parts) {
      const next = openSync(within(folder, part), O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
      closeSync(folder)
      folder = next
    }
    const file = openSync(within(folder, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    if (fstatSync(file).isFile()) return file
    closeSync(file)
    throw Object.assign(new Error(`${join(root, path)} is not a regular file.`), { code: 'ENOTREG' })
  } finally {
    closeSync(folder)
  }
}

function within(folder: number, name: string): string {
  return `/proc/self/fd/${folder}/${name}`
}
