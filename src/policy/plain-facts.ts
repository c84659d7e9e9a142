import type { Facts } from './types.ts'

/** A world in which there is one project at `root` and nobody has looked anything up. */
export function plainFacts(root: string, changes: Partial<Facts> = {}): Facts {
  return {
    roots: [{ path: root, real: root, access: 'write' }],
    paths: {},
    globs: {},
    sensitiveBelow: {},
    caseInsensitive: false,
    sacredLoaded: true,
    home: '/home/user',
    tmp: '/tmp',
    createdByRun: [],
    branchesOfRun: [],
    pidsOfRun: [],
    isolation: null,
    ...changes,
  }
}
