import { lstatSync, mkdirSync, realpathSync, type Stats } from 'node:fs'
import { join, resolve } from 'node:path'
import { isErrno } from '../store/files.ts'
import { onDisk } from './names.ts'

/** Equal to a folder or below it, by whole parts. */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}

/** Only the folders that lie in no other of the list. */
export function outermost(folders: readonly string[]): string[] {
  const all = [...new Set(folders)].sort()
  return all.filter(folder => !all.some(other => other !== folder && (other === '' || isInside(other, folder))))
}

/** The path with every link followed; itself where it does not exist. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return resolve(path)
  }
}

export function lstatIfThere(path: string): Stats | undefined {
  try {
    return lstatSync(onDisk(path), { throwIfNoEntry: false })
  } catch (error) {
    // Something above it is a file by now: then nothing is there either.
    if (isErrno(error, 'ENOTDIR')) return undefined
    throw error
  }
}

function partsOf(path: string): string[] {
  return path.split('/').filter(part => part !== '' && part !== '.')
}

/** Whether a path below a root leads there without any link in between. */
export function isPlainFolder(root: string, path: string): boolean {
  let at = root
  for (const part of partsOf(path)) {
    at = join(at, part)
    if (!lstatIfThere(at)?.isDirectory()) return false
  }
  return true
}

/** Makes a folder below a root part by part; false where something else is in its way. Never goes through a link. */
export function makePlainFolder(root: string, path: string): boolean {
  let at = root
  for (const part of partsOf(path)) {
    at = join(at, part)
    const found = lstatIfThere(at)
    if (!found) mkdirSync(onDisk(at))
    else if (!found.isDirectory()) return false
  }
  return true
}

/** Every folder that one of these paths lies in. */
export function foldersOf(paths: Iterable<string>): Set<string> {
  const folders = new Set<string>()
  for (const path of paths) {
    for (let at = path.lastIndexOf('/'); at > 0 && !folders.has(path.slice(0, at)); at = path.lastIndexOf('/', at - 1))
      folders.add(path.slice(0, at))
  }
  return folders
}
