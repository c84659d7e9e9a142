import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../store/files.ts'
import { type Git, GitFailed } from '../git/git.ts'
import { readTree, type TreeEntry } from '../git/tree.ts'
import { isPlainFolder, lstatIfThere, makePlainFolder } from '../paths.ts'

// Submodules come from the repositories that git keeps below the project's own data, and from nowhere else: nothing is fetched,
// and no repository that lies in a checkout is read, for a worker could have written it.

interface Fill {
  git: Git
  commit: string
  files: ReadonlyMap<string, TreeEntry>
  /** Where the files go. */
  root: string
  /** Where an index may lie for a moment. */
  tmp: string
}

const NO_NETWORK = { GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1' }
const GITLINK = '160000'

/** Fills the submodules of a tree as far as their commits are on this machine. Gives the paths of those left empty. */
export async function fillSubmodules({ git, commit, files, root, tmp }: Fill): Promise<string[]> {
  const links = [...files.values()].filter(({ mode }) => mode === GITLINK)
  if (links.length === 0) return []
  const names = await namesByPath(git, commit)
  const empty: string[] = []
  for (const { path, oid } of links) {
    const filled = await fillOne({ git, name: names.get(path), commit: oid, root, path, tmp })
    empty.push(...(filled === null ? [path] : filled.map(inner => `${path}/${inner}`)))
  }
  return empty
}

/** The nested ones left empty, or null where this one is. */
async function fillOne(at: Omit<Fill, 'files'> & { name: string | undefined; path: string }): Promise<string[] | null> {
  const { git, name, commit, root, path, tmp } = at
  if (name === undefined || name.split('/').includes('..')) return null
  const folder = join(git.folder, 'modules', name)
  if (!isPlainFolder(git.folder, join('modules', name)) || !lstatIfThere(join(folder, 'objects'))) return null
  if (!makePlainFolder(root, path)) return null
  const own = git.inFolder(folder)
  const into = join(root, path)
  makeFolder(tmp, { private: true })
  const index = join(tmp, `index-${randomBytes(8).toString('hex')}`)
  try {
    await own.call(['read-tree', commit], { index, env: NO_NETWORK })
    await own.call(['checkout-index', '--all', '--force'], { index, workTree: into, env: NO_NETWORK })
    return await fillSubmodules({ git: own, commit, files: await readTree(own, commit), root: into, tmp })
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error
    // Half of a submodule is worse than none: it would look like a change.
    rmSync(into, { recursive: true, force: true })
    makePlainFolder(root, path)
    return null
  } finally {
    rmSync(index, { force: true })
    rmSync(`${index}.lock`, { force: true })
  }
}

/** The name that .gitmodules gives to each path; by it git keeps the repository. */
async function namesByPath(git: Git, commit: string): Promise<Map<string, string>> {
  const blob = `--blob=${commit}:.gitmodules`
  const { text } = await git.call(['config', blob, '-z', '--get-regexp', String.raw`^submodule\..*\.path$`], { answers: [0, 1, 128] })
  return new Map(
    text.split('\0').flatMap(line => {
      const match = /^submodule\.(.*)\.path\n(.*)$/s.exec(line)
      return match ? [[match[2] ?? '', match[1] ?? ''] as const] : []
    }),
  )
}
