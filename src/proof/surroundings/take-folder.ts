import { readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '../../kernel/sha256.ts'
import type { Git } from '../../sandbox/git/git.ts'
import { digestsOf } from '../../sandbox/snapshot/digest.ts'
import { type PlaceFile, walk } from '../../sandbox/snapshot/walk.ts'
import type { ScopeEntry } from './scope-snapshot.ts'

/** Larger files are only looked at by their times. */
export const MOST_HASHED = 64 << 20

interface FolderOptions {
  git: Git
  /** Paths of the base: these are tracked, whatever ignore rules say. */
  tracked: ReadonlySet<string>
  /** Patterns of output and of the prepared layer, left out where git ignores them. */
  skip: readonly string[]
}

/** Every path of a folder but git's own data at its top. What cannot be read is still listed, with what can be known of it. */
export async function takeFolder(root: string, { git, tracked, skip }: FolderOptions): Promise<ScopeEntry[]> {
  const holdsTracked = new Set([...tracked].flatMap(foldersAbove))
  const ignored = async (paths: string[]): Promise<Set<string>> => {
    const free = paths.filter(path => !tracked.has(path) && !holdsTracked.has(path))
    if (free.length === 0) return new Set()
    // With `./` before them, so that no name is taken for one of git's own patterns.
    const stdin = free.map(path => `./${path}\0`).join('')
    const { text } = await git.call(['check-ignore', '-z', '--stdin', '--no-index'], {
      workTree: root,
      stdin,
      answers: [0, 1],
    })
    return new Set(
      text
        .split('\0')
        .filter(Boolean)
        .map(path => path.replace(/^\.\//, '')),
    )
  }
  const { files, emptyFolders } = await walk(root, { skip, ignored, withRecords: true })
  const hidden = await ignored(files.map(({ path }) => path))
  const hashed = files.filter(({ kind, path, size }) => kind === 'file' && !hidden.has(path) && size <= MOST_HASHED)
  const digests = digestsOf(
    root,
    hashed.map(({ path }) => path),
  )
  const entries = [
    ...emptyFolders.map(path => ({ ...EMPTY_FOLDER, path })),
    ...files.map(file => {
      const digest = file.kind === 'link' ? linkDigest(join(root, file.path)) : digests.get(file.path)
      return entryOf(file, { sha256: digest, ignored: hidden.has(file.path) })
    }),
  ]
  return entries.sort((a, b) => (a.path < b.path ? -1 : 1))
}

const EMPTY_FOLDER = { kind: 'folder', mode: 0, size: 0, links: 1, times: '' } as const

function entryOf(file: PlaceFile, { sha256: digest, ignored }: { sha256?: string | undefined; ignored: boolean }): ScopeEntry {
  const { path, kind, mode, size, links, stamp } = file
  return {
    path,
    kind,
    mode,
    size,
    links,
    times: stamp.split('-').slice(0, 2).join('-'),
    ...(digest !== undefined && { sha256: digest }),
    ...(ignored && { ignored: true as const }),
  }
}

function linkDigest(path: string): string | undefined {
  try {
    return sha256(readlinkSync(path))
  } catch {
    return undefined
  }
}

function foldersAbove(path: string): string[] {
  const folders: string[] = []
  for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) folders.push(path.slice(0, slash))
  return folders
}
