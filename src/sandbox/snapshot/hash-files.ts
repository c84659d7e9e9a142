import { closeSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type Git, GitFailed } from '../git/git.ts'
import { onDisk } from '../names.ts'
import { openPlain } from './inside.ts'
import type { PlaceFile } from './walk.ts'

const BATCH = 200

export interface HashOptions {
  git: Git
  root: string
  /** Puts the contents into the repository, as opposed to only naming them. */
  store: boolean
}

/** The object names of files, byte for byte: no filter, no line-end conversion. A file that cannot be read, or changes while it
 *  is read, is missing in the answer. */
export async function hashFiles(files: readonly PlaceFile[], options: HashOptions): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const regular = files.filter(file => file.kind === 'file')
  for (let from = 0; from < regular.length; from += BATCH) {
    const batch = regular.slice(from, from + BATCH)
    for (const [path, oid] of await hashBatch(batch, options)) found.set(path, oid)
  }
  for (const { path, kind } of files) {
    if (kind !== 'link') continue
    const target = readLink(join(options.root, path))
    if (target !== null) found.set(path, await hashBytes(target, options))
  }
  return found
}

// Git opens what we have opened already, by descriptor: so the name cannot lead elsewhere by then, and names with line ends
// need no care.
async function hashBatch(files: PlaceFile[], options: HashOptions): Promise<[string, string][]> {
  const opened = files.flatMap(({ path }) => openOrSkip(options.root, path))
  try {
    const stdin = opened.map(({ fd }) => `/proc/${process.pid}/fd/${fd}\n`).join('')
    if (stdin === '') return []
    const text = await options.git.line(['hash-object', ...storing(options), '--no-filters', '--stdin-paths'], { stdin })
    const oids = text.split('\n')
    return opened.map(({ path }, i) => [path, oids[i] ?? ''])
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error
    // One that changed under our hands spoils its batch; alone it spoils only itself.
    if (files.length === 1) return []
    const single = await Promise.all(files.map(file => hashBatch([file], options)))
    return single.flat()
  } finally {
    for (const { fd } of opened) closeSync(fd)
  }
}

function openOrSkip(root: string, path: string): { path: string; fd: number }[] {
  try {
    return [{ path, fd: openPlain(root, path) }]
  } catch {
    return []
  }
}

function hashBytes(bytes: Buffer, options: HashOptions): Promise<string> {
  return options.git.line(['hash-object', ...storing(options), '--no-filters', '--stdin'], { stdin: bytes })
}

function storing({ store }: HashOptions): string[] {
  return store ? ['-w'] : []
}

function readLink(path: string): Buffer | null {
  try {
    return readlinkSync(onDisk(path), 'buffer')
  } catch {
    return null
  }
}
