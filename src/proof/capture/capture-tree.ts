import { randomBytes } from 'node:crypto'
import { copyFileSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sha256 } from '../../kernel/sha256.ts'
import { type Git, GitFailed } from '../../sandbox/git/git.ts'
import { lstatIfThere } from '../../sandbox/paths.ts'
import { isErrno, makeFolder } from '../../store/files.ts'

export interface CaptureOptions {
  git: Git
  /** The place or checkout. */
  root: string
  /** What counts as tracked, so that ignore rules say nothing about it: the base of a place, HEAD of a checkout. Null: nothing. */
  tracked: string | null
  state: string
  /** Tracked paths that a sparse checkout does not show: those that are not there are not deleted. */
  unshown?: ReadonlySet<string>
  /** The person's own ignore file, for their own checkout; none counts in a place. */
  excludes?: string
}

export interface Captured {
  tree: string
  /** What git cannot take: a repository inside without any commit. Relative, sorted. */
  left_out: string[]
}

/** F-1: the files of a folder as a tree, by an index of QED's own. Adds objects to the repository and changes nothing else. */
export async function captureTree(options: CaptureOptions): Promise<Captured> {
  const kept = join(options.state, 'indexes', sha256(`${options.git.folder}\0${options.root}`))
  makeFolder(dirname(kept), { private: true })
  // A copy, renamed at the end: a capture that is killed leaves neither a lock nor half an index for the next one.
  const index = `${kept}.${randomBytes(6).toString('hex')}`
  try {
    if (copied(kept, index)) {
      try {
        return await capture(options, { index, kept })
      } catch (error) {
        // What was kept may be damaged; without it everything is read anew.
        if (!(error instanceof GitFailed)) throw error
        rmSync(index, { force: true })
      }
    }
    return await capture(options, { index, kept })
  } finally {
    rmSync(index, { force: true })
    rmSync(`${index}.lock`, { force: true })
    forgetOld(dirname(kept))
  }
}

const KEEP_MS = 7 * 86_400_000

// Places are never used again, and their indexes neither.
function forgetOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    if ((lstatIfThere(file)?.mtimeMs ?? Infinity) < Date.now() - KEEP_MS) rmSync(file, { force: true })
  }
}

// The kept index is only a memory of which file had which content at which time: it is reset to what is tracked first, and git
// reads again whatever changed since. It lies where no worker can write.
async function capture(
  { git, root, tracked, unshown = NONE, excludes }: CaptureOptions,
  { index, kept }: { index: string; kept: string },
): Promise<Captured> {
  const began = Date.now()
  const at = { index, workTree: root, env: captureConfig(excludes) }
  const feed = (paths: readonly string[], ...how: string[]) =>
    git.call(['update-index', ...how, '-z', '--stdin'], { ...at, stdin: paths.map(path => `${path}\0`).join('') })
  await git.call(tracked === null ? ['read-tree', '--empty'] : ['read-tree', '-m', tracked], { index, env: at.env })
  const { text } = await git.call(['ls-files', '-z', '--cached', '--others', '--exclude-standard'], at)
  const isShown = (path: string): boolean => !unshown.has(path) || lstatIfThere(join(root, path)) !== undefined
  const { files, folders, unreachable } = sortOut(
    root,
    text.split('\0').filter(path => path !== '' && isShown(path)),
  )
  if (unreachable.length > 0) await feed(unreachable, '--force-remove')
  // Not `git add`: for a repository inside, that one starts git in there, which runs what its config says.
  await feed(files, '--add', '--remove', '--replace')
  const left_out: string[] = []
  for (const folder of folders) {
    try {
      await git.call(['update-index', '--add', '--replace', '--', folder], at)
    } catch (error) {
      if (!(error instanceof GitFailed)) throw error
      left_out.push(folder)
    }
  }
  const tree = await git.line(['write-tree'], { index, env: at.env })
  const fresh = files.filter(path => isFresh(join(root, path), began))
  if (fresh.length > 0) await feed(fresh, '--force-remove')
  renameSync(index, kept)
  return { tree, left_out: left_out.sort() }
}

// Git compares whole seconds. A file that changed in the second in which it was read could change again and, with its time put
// back, look the same; so it is not remembered.
function isFresh(path: string, began: number): boolean {
  const stat = lstatIfThere(path)
  return stat === undefined || stat.ctimeMs > began - FRESH_MS
}

const FRESH_MS = 2000
const NONE: ReadonlySet<string> = new Set()

interface Sorted {
  files: string[]
  /** Repositories inside. */
  folders: string[]
  /** Tracked and gone, because something else is in their way. Git would look through a link there. */
  unreachable: string[]
}

function sortOut(root: string, paths: string[]): Sorted {
  const real = new Map<string, boolean>([['.', true]])
  const isReal = (folder: string): boolean => {
    const known = real.get(folder)
    if (known !== undefined) return known
    const answer = isReal(dirname(folder)) && (lstatIfThere(join(root, folder))?.isDirectory() ?? true)
    real.set(folder, answer)
    return answer
  }
  const parents = new Set(paths.map(path => dirname(path)))
  const sorted: Sorted = { files: [], folders: [], unreachable: [] }
  for (const path of paths) {
    if (path.endsWith('/')) sorted.folders.push(path.slice(0, -1))
    // A tracked file in whose place a folder is now: the files in it are listed too.
    else if (!isReal(dirname(path)) || (parents.has(path) && isReal(path))) sorted.unreachable.push(path)
    else sorted.files.push(path)
  }
  return sorted
}

/** Settings of the repository that would hide a change, make git refuse one, or write elsewhere. */
function captureConfig(excludes: string | undefined): Record<string, string> {
  const settings = {
    'core.excludesFile': excludes ?? '/dev/null',
    'core.sparseCheckout': 'false',
    'core.splitIndex': 'false',
    'core.safecrlf': 'false',
    'core.trustctime': 'true',
    'core.checkStat': 'default',
    // Usually set for the person and not for the repository. Without it every file of that kind would look changed.
    'filter.lfs.clean': 'git-lfs clean -- %f',
    'filter.lfs.required': 'false',
  }
  const entries = Object.entries(settings).flatMap(([key, value], i) => [
    [`GIT_CONFIG_KEY_${i}`, key],
    [`GIT_CONFIG_VALUE_${i}`, value],
  ])
  return { GIT_CONFIG_COUNT: String(Object.keys(settings).length), ...Object.fromEntries(entries) }
}

function copied(from: string, to: string): boolean {
  try {
    copyFileSync(from, to)
    return true
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return false
    throw error
  }
}
