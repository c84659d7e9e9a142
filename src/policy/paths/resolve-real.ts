/** What stands at one path, not following it. `null`: nothing. */
export type Entry = { kind: 'link'; target: string } | { kind: 'folder' } | { kind: 'other' } | null
export type LookUp = (path: string) => Entry

export type Resolved =
  | { kind: 'resolved'; real: string; exists: boolean; links: number }
  | { kind: 'too-many-links' }
  /** A file stands where a folder would have to be, so nothing can be there. */
  | { kind: 'not-a-folder'; real: string }

const MOST_LINKS = 40

/** Where a path leads, part by part as the kernel goes: `..` after a link is the parent of the link's target, parts that do
 *  not exist are appended, a dangling link counts as its target. Pure over what `lookUp` says. */
export function resolveReal(path: string, cwd: string, lookUp: LookUp): Resolved {
  const parts = splitParts(path.startsWith('/') ? path : `${cwd}/${path}`)
  let folder = ''
  let exists = true
  let blocked = false
  let links = 0
  while (parts.length > 0) {
    const part = parts.pop() ?? ''
    if (part === '..') {
      folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))
      // Back on ground that was walked before: it may exist again.
      exists = folder === '' || lookUp(folder) !== null
      continue
    }
    const next = `${folder}/${part}`
    const entry = exists && !blocked ? lookUp(next) : null
    if (entry?.kind === 'link') {
      if (++links > MOST_LINKS) return { kind: 'too-many-links' }
      if (entry.target.startsWith('/')) folder = ''
      parts.push(...splitParts(entry.target))
      continue
    }
    if (entry === null) exists = false
    if (entry?.kind === 'other' && parts.length > 0) blocked = true
    folder = next
  }
  const real = folder === '' ? '/' : folder
  return blocked ? { kind: 'not-a-folder', real } : { kind: 'resolved', real, exists, links }
}

/** Nothing is looked up: every part counts as an ordinary folder that may not be there yet. */
export function resolveText(path: string, cwd: string): string {
  const resolved = resolveReal(path, cwd, () => null)
  return resolved.kind === 'resolved' ? resolved.real : '/'
}

// Last part first, so that the next one to walk can be taken from the end.
function splitParts(path: string): string[] {
  return path
    .split('/')
    .filter(part => part !== '' && part !== '.')
    .reverse()
}
