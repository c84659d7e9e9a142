import { parseGlobs } from '../../sandbox/scope/glob.ts'

/** C-74: the folder that a task is about, from the root on, whose instructions are the nearest: the deepest one that holds all of its
 *  scope, or the one that whoever ordered it stands in, where the scope does not tell. '' is the root. */
export function taskFolder(scope: readonly string[] | null, standing: string): string {
  const [first = [], ...others] = parseGlobs(scope ?? []).map(({ literalFolder }) => literalFolder.split('/').filter(Boolean))
  const shared = others.reduce((common, folder) => common.slice(0, sharedLength(common, folder)), first)
  return shared.length > 0 ? shared.join('/') : standing
}

function sharedLength(a: readonly string[], b: readonly string[]): number {
  const other = a.findIndex((part, i) => part !== b[i])
  return other < 0 ? a.length : other
}
