import { readdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Git, GitFailed } from '../../sandbox/git/git.ts'
import { isInside, lstatIfThere, realPath } from '../../sandbox/paths.ts'
import { digestsOf } from '../../sandbox/snapshot/digest.ts'
import { readFileIfThere } from '../../store/files.ts'
import type { GitState } from './scope-snapshot.ts'

type Pair = [string, string]

interface GitOptions {
  git: Git
  place: string
  /** QED's own folder of places: worktrees in it come and go by its own hand. */
  places: string
}

/** Single files of the git folder that change what git does. `hooks/` and `info/` are taken whole. */
const FILES = ['config', 'config.worktree', 'shallow', 'objects/info/alternates']

/** What git itself would go by, read from the project's git folder. */
export async function takeGit({ git, place, places }: GitOptions): Promise<GitState> {
  const [refs, index_flags] = [await readRefs(git), await readIndexFlags(git, place)]
  return {
    files: metadata(git.folder),
    refs: [['HEAD', readText(join(git.folder, 'HEAD')) ?? ''], ...refs],
    worktrees: worktreesOf(git.folder, [realPath(places), realPath(place)]),
    index_flags,
    pointer: lstatIfThere(join(place, '.git'))?.isFile() ? readText(join(place, '.git')) : null,
  }
}

function metadata(folder: string): Pair[] {
  const names = [...FILES, ...filesBelow(folder, 'hooks'), ...filesBelow(folder, 'info')]
  const digests = digestsOf(folder, names)
  return names.flatMap((name): Pair[] => {
    const stat = statSync(join(folder, name), { throwIfNoEntry: false })
    if (!stat?.isFile()) return []
    // A hook counts only while it may be executed, so the mode is part of it; a link to somewhere has no digest of its own.
    return [[name, `${digests.get(name) ?? `link to ${realPath(join(folder, name))}`} ${(stat.mode & 0o777).toString(8)}`]]
  })
}

function filesBelow(folder: string, name: string): string[] {
  const below = (path: string): string[] => {
    try {
      return readdirSync(join(folder, path), { withFileTypes: true }).flatMap(entry =>
        entry.isDirectory() ? below(`${path}/${entry.name}`) : [`${path}/${entry.name}`],
      )
    } catch {
      return []
    }
  }
  return below(name).sort()
}

async function readRefs(git: Git): Promise<Pair[]> {
  const { text } = await git.call(['for-each-ref', '--format=%(refname)%00%(objectname) %(symref)'])
  return text
    .split('\n')
    .filter(Boolean)
    .map(line => {
      const [ref = '', meaning = ''] = line.split('\0')
      return [ref, meaning.trim()]
    })
}

function worktreesOf(folder: string, own: readonly string[]): Pair[] {
  const root = join(folder, 'worktrees')
  let names: string[] = []
  try {
    names = readdirSync(root).sort()
  } catch {
    return []
  }
  return names.flatMap((name): Pair[] => {
    const checkout = dirname(readText(join(root, name, 'gitdir')) ?? '')
    if (own.some(place => isInside(place, realPath(checkout)))) return []
    return [[name, `${readText(join(root, name, 'HEAD')) ?? ''} ${checkout}`]]
  })
}

/** Paths with assume-unchanged (a small letter) or skip-worktree (S). */
async function readIndexFlags(git: Git, place: string): Promise<string[] | null> {
  const index = indexOf(place)
  if (index === null) return []
  try {
    const { text } = await git.call(['ls-files', '-v', '-z'], { workTree: place, index })
    return text
      .split('\0')
      .filter(line => /^(?:[a-z]|S) /.test(line))
      .map(line => line.slice(2))
      .sort()
  } catch (error) {
    if (error instanceof GitFailed) return null
    throw error
  }
}

function indexOf(place: string): string | null {
  const dot = join(place, '.git')
  const found = lstatIfThere(dot)
  if (found?.isDirectory()) return join(dot, 'index')
  const pointed = found?.isFile() ? /^gitdir: (.+)$/m.exec(readText(dot) ?? '')?.[1] : undefined
  return pointed === undefined ? null : join(resolve(place, pointed), 'index')
}

function readText(path: string): string | null {
  try {
    return readFileIfThere(path)?.trim() ?? null
  } catch {
    return null
  }
}
