import type { PathPattern } from '../patterns/path-pattern.ts'
import type { Access, Facts, PathFact, Root } from '../types.ts'
import { malformed } from './malformed.ts'
import { isWithin, pathBelow } from './names.ts'
import { resolveText } from './resolve-real.ts'
import { type Sensitivity, sensitivityOf } from './sensitive.ts'
import { type Special, specialOf } from './special.ts'

/** A path as every rule sees it: where it leads, in which root, and what its name says. */
export interface ResolvedPath {
  /** As written, made absolute; `..` still stands, because what it means depends on links. */
  absolute: string
  real: string
  fact: PathFact | null
  root: Root | null
  /** From the root that holds it. */
  relative: string | null
  /** From the first root, the project's; rules and briefs speak about these. */
  project: string | null
  special: Special | null
  sensitivity: Sensitivity
}

export type PathReading = { kind: 'resolved'; path: ResolvedPath } | { kind: 'malformed'; why: string }

export interface PathSettings {
  sensitive: PathPattern[]
  sensitiveExcept: string[]
}

export const TOO_MANY_LINKS = 'too-many-links'

/** What a path means under the facts. Where a fact is missing the text alone is read; `fact` is null then, and nobody may allow
 *  anything but a look at text because of it. */
export function resolvePath(written: string, access: Access, cwd: string, facts: Facts, settings: PathSettings): PathReading {
  const why = malformed(written)
  if (why) return { kind: 'malformed', why }
  const absolute = absolutePath(written, cwd, facts)
  const fact = ownFact(facts.paths, absolute)
  if (fact?.real === TOO_MANY_LINKS) return { kind: 'malformed', why: 'it goes through more than 40 links' }
  const real = fact?.real ?? resolveText(absolute, '/')
  const root = rootOf(real, facts)
  const relative = root && pathBelow(real, root.real)
  const question = { real, relative, home: facts.home, added: settings.sensitive, excepted: settings.sensitiveExcept }
  const project = facts.roots[0]
  return {
    kind: 'resolved',
    path: {
      absolute,
      real,
      fact,
      root,
      relative,
      project: project && isWithin(real, project.real, facts.caseInsensitive) ? pathBelow(real, project.real) : null,
      special: specialOf(absolute, real, access, fact?.type ?? null),
      sensitivity: sensitivityOf(question),
    },
  }
}

/** The absolute spelling under which facts are kept. */
function absolutePath(written: string, cwd: string, facts: Pick<Facts, 'home'>): string {
  if (written === '~' || written.startsWith('~/')) return facts.home + written.slice(1)
  const joined = written.startsWith('/') ? written : `${cwd === '/' ? '' : cwd}/${written}`
  // Empty parts and `.` mean nothing to the kernel either; `..` does, so it stays.
  const parts = joined.split('/').filter(part => part !== '' && part !== '.')
  return `/${parts.join('/')}`
}

/** The innermost root that holds a path; among equals the one that may be written. */
function rootOf(real: string, facts: Facts): Root | null {
  let best: Root | null = null
  for (const root of facts.roots) {
    if (!isWithin(real, root.real, facts.caseInsensitive)) continue
    if (!best || root.real.length > best.real.length || (root.real.length === best.real.length && root.access === 'write')) best = root
  }
  return best
}

function ownFact(paths: Facts['paths'], absolute: string): PathFact | null {
  return Object.hasOwn(paths, absolute) ? (paths[absolute] ?? null) : null
}
