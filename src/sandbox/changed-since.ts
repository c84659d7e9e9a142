import { isDeepStrictEqual } from 'node:util'
import type { Facts, PathFact } from '../policy/types.ts'
import { pathFact } from './facts.ts'
import { insideFile } from './inside-file.ts'

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

/** The first patch or archive that names other files now than when it was judged; null where all do as they did. */
export function changedInside(judged: Facts['inside']): string | null {
  return Object.entries(judged ?? {}).find(([path, inside]) => !isDeepStrictEqual(insideFile(path), inside))?.[0] ?? null
}
