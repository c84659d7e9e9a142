import type { PathFact } from '../policy/types.ts'
import { pathFact } from './facts.ts'

/** P-42: the first path that leads elsewhere, or at which something else stands, than when it was judged; null where all is as
 *  it was. */
export function changedSince(
  bindings: readonly (Pick<PathFact, 'real' | 'device' | 'inode' | 'type'> & { path: string })[],
): string | null {
  const changed = bindings.find(({ path, real, device, inode, type }) => {
    const now = pathFact(path)
    return now?.real !== real || now.device !== device || now.inode !== inode || now.type !== type
  })
  return changed?.path ?? null
}
