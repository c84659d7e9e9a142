import { sensitivityOf } from '../paths/sensitive.ts'
import type { Facts } from '../types.ts'
import { absolutePath, type Folders } from './folders.ts'
import type { PathUse } from './judgement.ts'
import type { SegmentPath } from './reading.ts'
import { staticWord, type Word } from './word.ts'

export interface Placed {
  paths: SegmentPath[]
  /** A path whose place nobody knows. */
  isUnplaced: boolean
}

/** The absolute paths that uses of words stand for, one for each folder the command may run in. */
export function placePaths(uses: readonly PathUse[], folders: Folders, facts: Facts): Placed {
  const placed: Placed = { paths: [], isUnplaced: false }
  for (const use of uses) {
    if (use.word.kind === 'dynamic' || use.word.pipe) continue
    const isAbsolute = use.word.text.startsWith('/')
    if (folders === null && !isAbsolute) placed.isUnplaced = true
    for (const folder of isAbsolute ? ['/'] : (folders ?? [])) placeOne(use, absolutePath(folder, use.word.text), facts, placed)
  }
  return placed
}

function placeOne(use: PathUse, path: string, facts: Facts, placed: Placed): void {
  const { word, access, recursive, excludes, only, partial, skipsIgnored } = use
  const rest = {
    access,
    ...(recursive && { recursive }),
    ...(excludes && { excludes }),
    ...(only && { only }),
    ...(partial && { partial }),
    ...(skipsIgnored && { skipsIgnored }),
  }
  if (word.kind === 'static') {
    placed.paths.push({ path, ...rest })
    return
  }
  const matches = facts.globs[path]
  if (matches === undefined || matches === 'too-many') placed.paths.push({ path, glob: true, ...rest })
  else if (matches.length === 0) placed.paths.push({ path: unescaped(path), ...rest })
  else placed.paths.push(...matches.map(match => ({ path: match, ...rest })))
}

function unescaped(pattern: string): string {
  return pattern.replace(/\\(.)/gs, '$1')
}

export interface Expanded {
  words: readonly Word[]
  /** What a glob stands for is not known, or is an option. */
  isUncertain: boolean
}

/** Globs replaced by what they match, where one folder is certain and its facts were given. */
export function expandGlobs(words: readonly Word[], folders: Folders, facts: Facts): Expanded {
  if (!words.some(word => word.kind === 'glob')) return { words, isUncertain: false }
  let isUncertain = false
  const expanded = words.flatMap((word): readonly Word[] => {
    if (word.kind !== 'glob') return [word]
    const known = (word.text.startsWith('/') ? ['/'] : (folders ?? [])).map(folder => matchesIn(folder, word, facts))
    const [first] = known
    if (known.length === 0 || known.some(match => match === null || match.some(({ text }) => text.startsWith('-')))) isUncertain = true
    return known.length === 1 && first ? first : [word]
  })
  return { words: expanded, isUncertain }
}

function matchesIn(folder: string, word: Word, facts: Facts): Word[] | null {
  const matches = facts.globs[absolutePath(folder, word.text)]
  if (matches === undefined || matches === 'too-many') return null
  if (matches.length === 0) return [staticWord(unescaped(word.text))]
  const below = folder === '/' ? '/' : `${folder}/`
  return matches.map(match => staticWord(!word.text.startsWith('/') && match.startsWith(below) ? match.slice(below.length) : match))
}

/** Words of a program nobody knows that look like paths elsewhere, or name a file whose content is secret. */
export function inferredPaths(words: readonly Word[], folders: Folders, facts: Facts): PathUse[] {
  return words.flatMap((word): PathUse[] => {
    if (word.kind !== 'static' || word.text.includes('://')) return []
    const value = word.text.slice(word.text.indexOf('=') + 1)
    const text = value.startsWith('/') || word.text.startsWith('-') ? value : word.text
    const isElsewhere = text.startsWith('/') || text.includes('..')
    return isElsewhere || (folders ?? []).some(folder => isSecretFile(text, folder, facts))
      ? [{ word: staticWord(text), access: 'read' }]
      : []
  })
}

/** Every pattern of secret names holds one of these; most words do not. */
export const MAY_BE_SECRET = /[._]|credentials/i

// A name such as `credentials` may be any word; with a dot in it, or where the file is there, it is that file.
function isSecretFile(text: string, folder: string, facts: Facts): boolean {
  if (text.startsWith('-') || !MAY_BE_SECRET.test(text)) return false
  const path = absolutePath(folder, text)
  const isSecret = sensitivityOf({ real: path, relative: null, home: facts.home, added: [], excepted: [] }) !== null
  return isSecret && (text.includes('.') || facts.paths[path]?.exists === true)
}
