import { chmodSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { lstatIfThere } from '../../sandbox/paths.ts'
import { isErrno } from '../../store/files.ts'

/** Removes a folder, also where a program has taken its own right to write away, as some package caches do. */
export function removeFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch (error) {
    if (!isErrno(error, 'EACCES', 'EPERM')) throw error
    openUp(path)
    rmSync(path, { recursive: true, force: true })
  }
}

function openUp(folder: string): void {
  if (!lstatIfThere(folder)?.isDirectory()) return
  chmodSync(folder, 0o700)
  for (const entry of readdirSync(folder, { withFileTypes: true })) if (entry.isDirectory()) openUp(join(folder, entry.name))
}
