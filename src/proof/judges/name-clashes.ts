import { foldCase } from '../../policy/paths/names.ts'
import type { ProofFacts } from '../facts.ts'

export interface Clash {
  path: string
  why: string
}

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/

/** New paths, folders included, that some systems take for another path of the result, or that no person can read. */
export function nameClashes({ changes, paths }: Pick<ProofFacts, 'changes' | 'paths'>): Clash[] {
  const added = changes.filter(change => change.kind === 'added').map(change => change.path)
  const spellings = spellingsOf(paths.result.keys())
  return added.flatMap(path => {
    if (CONTROL.test(path)) return [{ path, why: 'control characters' }]
    const other = ancestors(path).flatMap(one => [...(spellings.get(foldCase(one)) ?? [])].filter(spelling => spelling !== one))[0]
    return other === undefined ? [] : [{ path, why: `the same name as ${other} on some systems` }]
  })
}

function spellingsOf(paths: Iterable<string>): Map<string, Set<string>> {
  const spellings = new Map<string, Set<string>>()
  const seen = new Set<string>()
  for (const path of paths) {
    for (const one of ancestors(path)) {
      if (seen.has(one)) break
      seen.add(one)
      const folded = foldCase(one)
      const known = spellings.get(folded)
      if (known) known.add(one)
      else spellings.set(folded, new Set([one]))
    }
  }
  return spellings
}

/** The path itself and the folders above it, longest first. */
function ancestors(path: string): string[] {
  const all = [path]
  for (let cut = path.lastIndexOf('/'); cut > 0; cut = path.lastIndexOf('/', cut - 1)) all.push(path.slice(0, cut))
  return all
}
