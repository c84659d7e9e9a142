import { join } from 'node:path'
import type { Git } from '../git/git.ts'
import { lstatIfThere } from '../paths.ts'

/** Which of these paths git ignores in a folder. */
export type IgnoredByGit = (root: string, paths: readonly string[]) => Promise<Set<string>>

/** Asks git once for each path, until something changes that has a say in it. */
export function createIgnoredByGit(git: Git): IgnoredByGit {
  const known = new Map<string, { stamp: string; ignored: boolean }>()
  const ask = async (root: string, paths: string[]): Promise<Set<string>> => {
    if (paths.length === 0) return new Set()
    const stdin = paths.map(path => `${path}\0`).join('')
    const { text } = await git.call(['check-ignore', '-z', '--stdin', '--no-index'], { workTree: root, stdin, answers: [0, 1] })
    return new Set(text.split('\0').filter(Boolean))
  }
  return async (root, paths) => {
    const rules = new Map<string, string>()
    const ofRepository = ['info/exclude', 'config'].map(name => stampOf(join(git.folder, name))).join(' ')
    const stampFor = (path: string): string => `${ofRepository} ${rulesAbove(root, path, rules)}`
    const isKnown = (path: string): boolean => known.get(`${root}\0${path}`)?.stamp === stampFor(path)
    const open = paths.filter(path => !isKnown(path))
    const ignored = await ask(root, open)
    for (const path of open) known.set(`${root}\0${path}`, { stamp: stampFor(path), ignored: ignored.has(path) })
    return new Set(paths.filter(path => known.get(`${root}\0${path}`)?.ignored))
  }
}

/** The ignore files of every folder from the root down to a path. */
function rulesAbove(root: string, path: string, seen: Map<string, string>): string {
  const slash = path.lastIndexOf('/')
  const folder = path.slice(0, Math.max(0, slash))
  const found = seen.get(folder)
  if (found !== undefined) return found
  const above = folder === '' ? '' : rulesAbove(root, folder, seen)
  const stamp = `${above} ${stampOf(join(root, folder, '.gitignore'))}`
  seen.set(folder, stamp)
  return stamp
}

function stampOf(path: string): string {
  const found = lstatIfThere(path)
  return found ? `${found.ctimeMs}-${found.mtimeMs}-${found.ino}-${found.size}` : '-'
}
