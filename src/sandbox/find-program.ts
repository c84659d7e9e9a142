import { accessSync, constants, statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'

/** Where a program of this name would be taken from; null where the PATH has none. A relative entry is not looked at. */
export function findProgram(name: string, path: string): string | null {
  const candidates = path
    .split(':')
    .filter(isAbsolute)
    .map(folder => join(folder, name))
  return candidates.find(isExecutable) ?? null
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
