import { sha256 } from '../../kernel/sha256.ts'
import type { TreeEntry } from '../git/tree.ts'

export interface Change {
  path: string
  kind: 'added' | 'modified' | 'mode' | 'deleted'
}

/** What has to happen to one state to make it the other. */
export function changesBetween(from: ReadonlyMap<string, TreeEntry>, to: ReadonlyMap<string, TreeEntry>): Change[] {
  const changes: Change[] = []
  for (const [path, wanted] of to) {
    const present = from.get(path)
    if (!present) changes.push({ path, kind: 'added' })
    else if (present.oid !== wanted.oid || isLink(present) !== isLink(wanted)) changes.push({ path, kind: 'modified' })
    else if (present.mode !== wanted.mode) changes.push({ path, kind: 'mode' })
  }
  for (const path of from.keys()) if (!to.has(path)) changes.push({ path, kind: 'deleted' })
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Names exactly this list of changes to exactly these objects; a person who saw it agrees to it and nothing else. */
export function changesDigest(changes: readonly Change[], to: ReadonlyMap<string, TreeEntry>): string {
  return sha256(changes.map(({ path, kind }) => `${kind} ${to.get(path)?.oid ?? '-'} ${path}\0`).join(''))
}

function isLink({ mode }: TreeEntry): boolean {
  return mode === '120000'
}
