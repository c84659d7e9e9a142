import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Bytes that a folder takes on the disk. What goes away meanwhile, or may not be looked at, counts nothing. */
export function sizeOf(folder: string): number {
  let bytes = 0
  const open = [folder]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const entry of entriesOf(at)) {
      const path = join(at, entry.name)
      if (entry.isDirectory()) open.push(path)
      else bytes += (lstatSync(path, { throwIfNoEntry: false })?.blocks ?? 0) * 512
    }
  }
  return bytes
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
