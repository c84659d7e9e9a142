/** Globs over paths, matched in place: translated to a regular expression, a few stars could make one run for ever. */

type Token =
  | { kind: 'unit'; unit: number }
  /** One character; `set` says which. */
  | { kind: 'one'; accepts: (character: number) => boolean }
  /** Any run; within one folder unless `deep`. */
  | { kind: 'run'; deep: boolean }
  /** Zero or more whole folders. */
  | { kind: 'folders' }

export type GlobMatch = (path: string) => boolean

const SLASH = 0x2f

/** With a scheme, paths have no folders: `*` and `?` match `/` too. */
export function compileGlob(pattern: string, { scheme }: { scheme: boolean }): GlobMatch {
  const tokens = tokenize(pattern, scheme)
  return path => matches(tokens, path)
}

function tokenize(pattern: string, scheme: boolean): Token[] {
  const tokens: Token[] = []
  const isOne = (character: number): boolean => scheme || character !== SLASH
  for (let i = 0; i < pattern.length; ) {
    const unit = pattern[i] ?? ''
    if (unit === '*') {
      const stars = runLength(pattern, i)
      const opensFolder = i === 0 || pattern[i - 1] === '/'
      const folders = stars > 1 && opensFolder && pattern[i + stars] === '/'
      tokens.push(folders ? { kind: 'folders' } : { kind: 'run', deep: stars > 1 || scheme })
      i += stars + (folders ? 1 : 0)
    } else if (unit === '?') {
      tokens.push({ kind: 'one', accepts: isOne })
      i++
    } else if (unit === '[') {
      const set = readSet(pattern, i)
      tokens.push(set ? { kind: 'one', accepts: character => isOne(character) && set.accepts(character) } : unitToken('['))
      i = set?.end ?? i + 1
    } else {
      const escaped = unit === '\\' && i + 1 < pattern.length
      tokens.push(unitToken(pattern[escaped ? i + 1 : i] ?? ''))
      i += escaped ? 2 : 1
    }
  }
  if (pattern.endsWith('/')) tokens.push({ kind: 'run', deep: true })
  return tokens
}

function unitToken(unit: string): Token {
  return { kind: 'unit', unit: unit.charCodeAt(0) }
}

function runLength(pattern: string, start: number): number {
  let end = start
  while (pattern[end] === '*') end++
  return end - start
}

interface CharacterSet {
  accepts: (character: number) => boolean
  end: number
}

/** `[abc]`, `[a-z]`, `[!a]`, `[^a]`; a bracket that is never closed is itself. */
function readSet(pattern: string, start: number): CharacterSet | undefined {
  const negated = pattern[start + 1] === '!' || pattern[start + 1] === '^'
  const ranges: [number, number][] = []
  const first = start + (negated ? 2 : 1)
  for (let i = first; i < pattern.length; ) {
    if (pattern[i] === ']' && i > first) return { accepts: character => inRanges(ranges, character) !== negated, end: i + 1 }
    const low = readCharacter(pattern, i)
    i = low.end
    const ranged = pattern[i] === '-' && i + 1 < pattern.length && pattern[i + 1] !== ']'
    const high = ranged ? readCharacter(pattern, i + 1) : low
    ranges.push([low.character, high.character])
    i = high.end
  }
  return undefined
}

function readCharacter(pattern: string, at: number): { character: number; end: number } {
  const start = pattern[at] === '\\' && at + 1 < pattern.length ? at + 1 : at
  const character = pattern.codePointAt(start) ?? 0
  return { character, end: start + (character > 0xffff ? 2 : 1) }
}

function inRanges(ranges: readonly (readonly [number, number])[], character: number): boolean {
  return ranges.some(([low, high]) => character >= low && character <= high)
}

/** A place to come back to: the token after a run, and where in the path to try it next. */
interface Retry {
  token: number
  at: number
}

/** Each run first takes nothing and grows by one character when what follows does not fit. Only the last run of each reach has
 *  to grow: whatever an earlier one could take, a later one can take as well. */
function matches(tokens: readonly Token[], path: string): boolean {
  let shallow: Retry | undefined
  let deep: Retry | undefined
  let folders = false
  let t = 0
  let p = 0
  while (true) {
    const token = tokens[t]
    if (token === undefined ? p === path.length : token.kind === 'run' || token.kind === 'folders') {
      if (token === undefined) return true
      t++
      if (token.kind === 'run' && !token.deep) shallow = { token: t, at: p }
      else {
        deep = { token: t, at: p }
        folders = token.kind === 'folders'
        shallow = undefined
      }
      continue
    }
    const width = token === undefined ? 0 : accepted(token, path, p)
    if (width > 0) {
      t++
      p += width
      continue
    }
    if (shallow && shallow.at < path.length && path.charCodeAt(shallow.at) !== SLASH) {
      shallow.at += characterWidth(path, shallow.at)
      t = shallow.token
      p = shallow.at
      continue
    }
    shallow = undefined
    const next: number = deep ? grown(path, deep.at, folders) : -1
    if (!deep || next < 0) return false
    deep.at = next
    t = deep.token
    p = next
  }
}

function grown(path: string, at: number, folders: boolean): number {
  if (at >= path.length) return -1
  if (!folders) return at + characterWidth(path, at)
  const slash = path.indexOf('/', at)
  return slash < 0 ? -1 : slash + 1
}

function accepted(token: Token, path: string, at: number): number {
  if (at >= path.length) return 0
  if (token.kind === 'unit') return path.charCodeAt(at) === token.unit ? 1 : 0
  return token.kind === 'one' && token.accepts(path.codePointAt(at) ?? 0) ? characterWidth(path, at) : 0
}

function characterWidth(path: string, at: number): number {
  return (path.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}
