import { join, relative } from 'node:path'
import { InvalidInput } from '../kernel/errors.ts'
import { lstatIfThere } from '../sandbox/paths.ts'

/** What a person names as a scope, as patterns: a folder stands for everything below it. Everywhere else only patterns are known. */
export function ownedPatterns(root: string, named: readonly string[]): string[] {
  return named.map(given => {
    const name = given.replace(/^(?:\.\/+)+/, '').replace(/\/+$/, '')
    if (name === '' || name === '.') return '**'
    // Braces cannot be escaped in a pattern.
    if (!/[{}]/.test(name) && lstatIfThere(join(root, name))?.isDirectory()) return `${name.replace(/[*?[]/g, '[$&]')}/**`
    return given.endsWith('/') ? `${name}/**` : name
  })
}

const MAGIC = /[*?[{]/

/** Patterns begin at the root of the project. One that means something only from the folder where the person stands is a slip, and
 *  would own nothing. */
export function refuseFromFolder(named: readonly string[], { root, cwd }: { root: string; cwd: string }): void {
  const below = relative(root, cwd)
  if (below === '' || below.startsWith('..')) return
  const issues = named.flatMap(given => {
    const parts = given.split('/')
    const magic = parts.findIndex(part => MAGIC.test(part))
    const plain = parts.slice(0, magic === -1 ? parts.length : magic).join('/')
    const isSlip = plain !== '' && !lstatIfThere(join(root, plain)) && lstatIfThere(join(cwd, plain)) !== undefined
    return isSlip ? [{ path: '/scope', message: `name it from the root of the project on: ${join(below, given)}` }] : []
  })
  if (issues.length > 0) throw new InvalidInput('The scope', issues)
}
