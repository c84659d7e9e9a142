import { changes } from '../../access.ts'
import type { ResolvedPath } from '../../paths/resolve-path.ts'
import type { Layer, Subject } from '../layer.ts'

type PathBelow = Pick<ResolvedPath, 'real' | 'relative' | 'project'>

/** What else a change of a whole folder touches, as far as somebody looked. */
export function changedBelow(subject: Subject): PathBelow[] {
  return isWholeChange(subject) ? seenBelow(subject) : []
}

/** Everything that was seen below the path of a subject. */
export function seenBelow({ path, operation: { facts } }: Subject): PathBelow[] {
  const seen = path && facts.below?.[path.real]
  if (!path || !Array.isArray(seen)) return []
  const rest = path.real.length + 1
  const under = (base: string | null, real: string): string | null => base && `${base}/${real.slice(rest)}`
  return seen.map(real => ({
    real,
    relative: path.relative === '' ? real.slice(rest) : under(path.relative, real),
    project: path.project === '' ? real.slice(rest) : under(path.project, real),
  }))
}

/** A folder with more in it than anybody can look through may hold what must not be touched. */
export const unseenBelow: Layer = subject => {
  const { path, operation } = subject
  if (!path || !isWholeChange(subject) || operation.facts.below?.[path.real] !== 'too-many') return null
  return { verdict: 'ask', rule: 'ambiguous', code: 'ambiguous', reason: `${path.real} holds too many files to look through.` }
}

function isWholeChange({ path, facet }: Subject): boolean {
  return path?.root !== null && path?.special !== 'free' && facet.recursive === true && !facet.partial && changes(facet.access)
}
