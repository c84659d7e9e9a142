import { type Dirent, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { IsSensitive } from '../../sandbox/isolation/sensitive.ts'
import { realPath } from '../../sandbox/paths.ts'
import { digestsOf } from '../../sandbox/snapshot/digest.ts'
import type { ScopeEntry } from './scope-snapshot.ts'
import { MOST_HASHED } from './take-folder.ts'
import { WATCHED_HOME } from './watched.ts'

interface OutsideOptions {
  home: string
  /** Absolute, or below the home by `~/`; files or folders. */
  added: readonly string[]
  isSensitive: IsSensitive
}

/** More than that below one watched folder is not looked at: it was hardly meant. */
const MOST_FILES = 2000

/** The files outside that are watched, as they are. Links are followed: what counts is what a program would read. The content of
 *  a sensitive file is not even hashed. */
export function takeOutside({ home, added, isSensitive }: OutsideOptions): ScopeEntry[] {
  const watched = [...WATCHED_HOME.map(path => `~/${path}`), ...added].map(path => absolute(path, home))
  const files = [...new Set(watched.flatMap(filesAt))].sort()
  return files.map(path => entryAt(path, isSensitive)).filter(entry => entry !== null)
}

function absolute(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : resolve(home, path)
}

function filesAt(path: string): string[] {
  const found: string[] = []
  const open = [path]
  for (let at = open.pop(); at !== undefined && found.length < MOST_FILES; at = open.pop()) {
    const folder = listed(at)
    if (folder === null) found.push(at)
    // Links to folders are not gone into: they may lead back.
    else for (const entry of folder) (entry.isDirectory() ? open : found).push(join(at, entry.name))
  }
  return found.slice(0, MOST_FILES)
}

function listed(path: string): Dirent[] | null {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch {
    return null
  }
}

function entryAt(path: string, isSensitive: IsSensitive): ScopeEntry | null {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  if (!stat) return null
  const kind = stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : 'other'
  const isHashed = kind === 'file' && stat.size <= MOST_HASHED && !isSensitive(path)
  const digest = isHashed ? digestAt(realPath(path)) : undefined
  return {
    path,
    kind,
    mode: Number(stat.mode & 0o7777n),
    size: Number(stat.size),
    links: Number(stat.nlink),
    times: `${stat.ctimeNs}-${stat.mtimeNs}`,
    ...(digest !== undefined && { sha256: digest }),
  }
}

function digestAt(real: string): string | undefined {
  const below = real.slice(1)
  return digestsOf('/', [below]).get(below)
}
