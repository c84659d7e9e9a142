// Patterns as briefs and settings write them: `**` over folders, `*`, `?` and `[…]` inside one part, `{a,b}`, dot files
// included, a trailing `/` means everything below.

type Part = { kind: 'any-depth' } | { kind: 'literal'; text: string } | { kind: 'pattern'; regex: RegExp }

export interface Glob {
  /** The folder that holds everything it can match, as far as it is written out. */
  literalFolder: string
  matches(path: string): boolean
  /** Whether something below this folder can match. */
  canMatchBelow(folder: string): boolean
  /** Whether everything below this folder matches. */
  coversAllBelow(folder: string): boolean
}

/** A pattern with alternatives is several globs. */
function parseGlob(pattern: string): Glob[] {
  return expandBraces(pattern.endsWith('/') ? `${pattern}**` : pattern).map(toGlob)
}

export function parseGlobs(patterns: readonly string[]): Glob[] {
  return patterns.flatMap(parseGlob)
}

export function matchesAny(globs: readonly Glob[], path: string): boolean {
  return globs.some(glob => glob.matches(path))
}

function toGlob(pattern: string): Glob {
  const parts = split(pattern).map(toPart)
  const literals = parts.slice(0, -1)
  const open = literals.findIndex(part => part.kind !== 'literal')
  const written = open < 0 ? literals : literals.slice(0, open)
  return {
    literalFolder: written.map(part => (part.kind === 'literal' ? part.text : '')).join('/'),
    matches: path => matchFrom(parts, 0, split(path), 0, false),
    canMatchBelow: folder => matchFrom(parts, 0, split(folder), 0, true),
    // What ends in `**` and matches one thing below a folder matches all of it.
    coversAllBelow: folder => parts.at(-1)?.kind === 'any-depth' && matchFrom(parts, 0, [...split(folder), 'x'], 0, false),
  }
}

function split(path: string): string[] {
  return path.split('/').filter(part => part !== '' && part !== '.')
}

function toPart(text: string): Part {
  if (text === '**') return { kind: 'any-depth' }
  if (!/[*?[]/.test(text)) return { kind: 'literal', text }
  return { kind: 'pattern', regex: new RegExp(`^${toRegex(text)}$`, 's') }
}

function toRegex(text: string): string {
  return text.replace(/\[(!|\^)?([^\]]+)\]|\*+|\?|[\\^$.|+(){}[\]]/g, (found, negated: string | undefined, set: string | undefined) => {
    if (set !== undefined) return `[${negated ? '^' : ''}${set.replace(/[\\\]^]/g, '\\$&')}]`
    if (found.startsWith('*')) return '[^/]*'
    return found === '?' ? '[^/]' : `\\${found}`
  })
}

/** With `prefix`: whether the parts can go on to match something below the path. */
function matchFrom(parts: Part[], p: number, path: string[], i: number, prefix: boolean): boolean {
  if (i === path.length) return prefix ? p < parts.length : p === parts.length
  const part = parts[p]
  if (part === undefined) return false
  if (part.kind === 'any-depth') {
    // As the last part it matches everything below, but not the folder itself.
    if (p === parts.length - 1) return true
    return matchFrom(parts, p + 1, path, i, prefix) || matchFrom(parts, p, path, i + 1, prefix)
  }
  const name = path[i] ?? ''
  const fits = part.kind === 'literal' ? part.text === name : part.regex.test(name)
  return fits && matchFrom(parts, p + 1, path, i + 1, prefix)
}

const MOST_ALTERNATIVES = 256

function expandBraces(pattern: string): string[] {
  const open = pattern.indexOf('{')
  const close = open < 0 ? -1 : closing(pattern, open)
  if (close < 0) return [pattern]
  const choices = alternatives(pattern.slice(open + 1, close))
  return choices.flatMap(choice => expandBraces(pattern.slice(0, open) + choice + pattern.slice(close + 1))).slice(0, MOST_ALTERNATIVES)
}

function closing(text: string, open: number): number {
  for (let i = open, depth = 0; i < text.length; i++) {
    if (text[i] === '{') depth++
    if (text[i] === '}' && --depth === 0) return i
  }
  return -1
}

function alternatives(text: string): string[] {
  const found: string[] = []
  let from = 0
  for (let i = 0, depth = 0; i <= text.length; i++) {
    if (text[i] === '{') depth++
    if (text[i] === '}') depth--
    if (i < text.length && (text[i] !== ',' || depth > 0)) continue
    found.push(text.slice(from, i))
    from = i + 1
  }
  return found
}
