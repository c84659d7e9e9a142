import { closeSync, constants, fstatSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isErrno } from '../../store/files.ts'
import { onDisk } from '../names.ts'

// Reading and writing below a root that a worker may be changing at this very moment: each folder is opened from the one before
// it, so that no link swapped in between leads elsewhere.

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants

/** Does something in a folder below a root; `at` stands for the folder. With `make`, missing folders are made and what is none is
 *  cleared away. Throws like open does, also at a link. */
export function inFolder<T>(root: string, folder: string, how: 'find' | 'make', act: (at: string) => T): T {
  let open = openSync(onDisk(root), O_RDONLY | O_DIRECTORY)
  try {
    for (const part of folder.split('/').filter(name => name !== '' && name !== '.')) {
      const next = how === 'make' ? madeFolder(open, part) : openFolder(open, part)
      closeSync(open)
      open = next
    }
    return act(`/proc/self/fd/${open}`)
  } finally {
    closeSync(open)
  }
}

/** Opens a regular file below a root. Throws like open does, and where it is not a regular file. */
export function openPlain(root: string, path: string): number {
  return inFolder(root, dirname(path), 'find', at => openPlainAt(at, basename(path)))
}

/** The same by its name in a folder that is held open. */
export function openPlainAt(at: string, name: string): number {
  const file = openSync(onDisk(join(at, name)), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  if (fstatSync(file).isFile()) return file
  closeSync(file)
  throw Object.assign(new Error(`${name} is not a regular file.`), { code: 'ENOTREG' })
}

function openFolder(folder: number, name: string): number {
  return openSync(onDisk(`/proc/self/fd/${folder}/${name}`), O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
}

function madeFolder(folder: number, name: string): number {
  try {
    return openFolder(folder, name)
  } catch (error) {
    if (!isErrno(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) throw error
    const path = onDisk(`/proc/self/fd/${folder}/${name}`)
    if (!isErrno(error, 'ENOENT')) rmSync(path)
    mkdirSync(path)
    return openFolder(folder, name)
  }
}
