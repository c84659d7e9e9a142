import { posix } from 'node:path'
import { EXAMPLE_FACTS } from '../../policy/rules/examples.ts'

/** Where commands are read as if the project stood there. */
export const ROOT = EXAMPLE_FACTS.roots[0]?.path ?? '/'

/** A word of a command as a path from the root of the project; null where it leads out of it. */
export function inProject(word: string, folder: string): string | null {
  if (word === '' || word.includes('\0')) return null
  const path = posix.relative(ROOT, posix.resolve(ROOT, folder, word))
  return path === '..' || path.startsWith('../') ? null : path
}
