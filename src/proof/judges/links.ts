import { foldName } from '../../policy/paths/names.ts'
import type { Change, ProofFacts } from '../facts.ts'

const LINK = '120000'
/** As many links as the kernel follows. */
const MOST_LINKS = 40

type LinkFacts = Pick<ProofFacts, 'changes' | 'paths'>

/** A file, or everything below a folder, that a link now stands for. */
export function replacesWithLink({ path, before, after }: Change, { paths }: LinkFacts): string | null {
  if (after?.mode !== LINK) return null
  if (before !== null && before.mode.startsWith('100')) return 'a file became a link'
  const below = `${path}/`
  for (const other of paths.base.keys()) if (other.startsWith(below)) return 'a folder became a link'
  return null
}

/** Why a link may lead out of the tree, or null. Other links on the way are followed as far as their targets are known. */
export function linksOut({ path, after }: Change, { changes, paths }: LinkFacts): string | null {
  if (after?.mode !== LINK) return null
  if (after.text === null) return 'a link whose target is not known'
  const targets = new Map(
    changes.flatMap(change => (change.after?.mode === LINK && change.after.text !== null ? [[change.path, change.after.text]] : [])),
  )
  const why = walk(path.split('/').slice(0, -1), after.text, targets, paths.result)
  return why === null ? null : `${why}: ${after.text}`
}

function walk(start: string[], target: string, targets: ReadonlyMap<string, string>, modes: ReadonlyMap<string, string>): string | null {
  if (isAbsolute(target)) return 'an absolute target'
  const here = [...start]
  const ahead = target.split('/')
  for (let followed = 0; ahead.length > 0; ) {
    const part = ahead.shift() ?? ''
    if (part === '' || part === '.') continue
    if (part === '..') {
      if (here.pop() === undefined) return 'it leaves the tree'
      continue
    }
    here.push(part)
    if (foldName(part) === '.git') return 'it leads into git'
    const at = here.join('/')
    if (modes.get(at) !== LINK) continue
    const next = targets.get(at)
    if (++followed > MOST_LINKS) return 'links that lead in a circle'
    if (next === undefined) {
      // An old link is the project's own; only going up from it could lead anywhere.
      if (ahead.includes('..')) return 'it goes up from another link'
      continue
    }
    if (isAbsolute(next)) return 'an absolute target'
    here.pop()
    ahead.unshift(...next.split('/'))
  }
  return null
}

function isAbsolute(target: string): boolean {
  return target.startsWith('/') || /^[A-Za-z]:|\\/.test(target)
}
