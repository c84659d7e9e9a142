import { join } from 'node:path'
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
