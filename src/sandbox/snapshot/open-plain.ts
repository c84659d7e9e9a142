import { closeSync, constants, fstatSync, openSync } from 'node:fs'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants

/** Opens a regular file below a root without going through a link anywhere on the way; a worker may swap one in at any moment.
 *  Throws like open does, and where it is not a regular file. */
export function openPlain(root: string, path: string): number {
  const slash = path.lastIndexOf('/')
  const folder = openPlainFolder(root, path.slice(0, Math.max(0, slash)))
  try {
    return openPlainIn(folder, path.slice(slash + 1))
  } finally {
    closeSync(folder)
  }
}

/** Opens a folder below a root in the same way; '' is the root itself. */
export function openPlainFolder(root: string, path: string): number {
  let folder = openSync(root, O_RDONLY | O_DIRECTORY)
  for (const part of path.split('/').filter(Boolean)) {
    try {
      const next = openSync(within(folder, part), O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
      closeSync(folder)
      folder = next
    } catch (error) {
      closeSync(folder)
      throw error
    }
  }
  return folder
}

/** Opens a regular file by its name in an open folder. */
export function openPlainIn(folder: number, name: string): number {
  const file = openSync(within(folder, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  if (fstatSync(file).isFile()) return file
  closeSync(file)
  throw Object.assign(new Error(`${name} is not a regular file.`), { code: 'ENOTREG' })
}

function within(folder: number, name: string): string {
  return `/proc/self/fd/${folder}/${name}`
}
