import { dirname, join, resolve } from 'node:path'
import { readFileIfThere } from '../../store/files.ts'
import type { Git } from '../git/git.ts'
import { privateClone } from '../git/private-clone.ts'
import { readTree } from '../git/tree.ts'
import { foldersOf } from '../paths.ts'
import type { Place } from './place.ts'
import { fillSubmodules } from './submodules.ts'

export interface CheckOut {
  outputs: string[]
  empty_submodules: string[]
}

/** Fills a place with the files of its base: a linked worktree, or a clone with a git folder of its own. */
export async function checkOut(
  place: Place,
  { git, outputs, state }: { git: Git; outputs: readonly string[]; state: string },
): Promise<CheckOut> {
  if (place.kind === 'clone') await privateClone(git, place)
  else await git.call(['worktree', 'add', '--detach', '--lock', '--reason', `qed ${place.run}`, place.path, place.base])
  const files = await readTree(git, place.base)
  await hideOwnFolder(place, [...files.keys()], git)
  return {
    outputs: await outputsOf(place.path, [...files.keys()], { git, outputs }),
    empty_submodules: await fillSubmodules({ git, commit: place.base, files, root: place.path, tmp: join(state, 'tmp') }),
  }
}

// A sandbox covers `.qed`; without this mark the worker's own `git status` would call its files deleted.
async function hideOwnFolder({ path }: Place, tracked: string[], git: Git): Promise<void> {
  const own = tracked.filter(file => file.startsWith('.qed/'))
  if (own.length === 0) return
  const pointed = /^gitdir: (.+)$/m.exec(readPointer(join(path, '.git')))?.[1]
  const index = join(pointed === undefined ? join(path, '.git') : resolve(path, pointed), 'index')
  await git.call(['update-index', '--skip-worktree', '-z', '--stdin'], {
    index,
    workTree: path,
    stdin: own.map(file => `${file}\0`).join(''),
  })
}

function readPointer(path: string): string {
  try {
    return readFileIfThere(path) ?? ''
  } catch {
    // A folder: the clone's own.
    return ''
  }
}

const MANIFESTS = /(^|\/)(package\.json|pyproject\.toml|Cargo\.toml|go\.mod|build\.gradle(\.kts)?|pom\.xml|tsconfig\.json)$/

/** Where builds may write: the usual folders beside each manifest, as far as git ignores them. */
async function outputsOf(place: string, tracked: string[], { git, outputs }: { git: Git; outputs: readonly string[] }): Promise<string[]> {
  const names = outputs.flatMap(pattern => /^\*\*\/(.+)\/\*\*$/.exec(pattern)?.[1] ?? [])
  const roots = new Set(['.', ...tracked.filter(path => MANIFESTS.test(path)).map(path => dirname(path))])
  const folders = foldersOf(tracked)
  const candidates = [...roots].flatMap(root => names.map(name => join(root, name))).filter(path => !folders.has(path))
  if (candidates.length === 0) return []
  // With a slash: a rule for folders counts although the folder is not there yet.
  const stdin = candidates.map(path => `${path}/\0`).join('')
  const { text } = await git.call(['check-ignore', '-z', '--stdin', '--no-index'], { workTree: place, stdin, answers: [0, 1] })
  return text
    .split('\0')
    .filter(Boolean)
    .map(path => path.replace(/\/$/, ''))
}
