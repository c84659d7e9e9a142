import type { IsolationInForce } from '../../kernel/isolation.ts'
import { isInside } from '../../sandbox/paths.ts'
import { matchesAny, parseGlobs } from '../../sandbox/scope/glob.ts'

/** Tells which changes of a command are to be put back: those outside its scope that it could have made. Where the walls held a path
 *  closed, someone else changed it meanwhile, and it is theirs. */
export function strangeTo(
  scope: readonly string[],
  { root, isolation }: { root: string; isolation: Pick<IsolationInForce, 'facets' | 'writable'> | null },
): (path: string, isNew: boolean) => boolean {
  const owned = parseGlobs(scope)
  const walls = isolation === null || isolation.facets.scope === 'host' ? null : isolation
  return (path, isNew) => {
    if (matchesAny(owned, path)) return false
    if (walls === null) return true
    // A whole folder is open for writing by rename; the files that stood in it and are not owned are bound closed again.
    if (walls.facets.scope === 'owned' && !isNew) return false
    return walls.writable.some(folder => isInside(folder, `${root}/${path}`))
  }
}
