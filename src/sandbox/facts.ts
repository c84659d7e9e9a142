import { lstatSync, readdirSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { TOO_MANY_LINKS } from '../policy/paths/resolve-path.ts'
import { type Entry, resolveReal, resolveText } from '../policy/paths/resolve-real.ts'
import { mayNameSecret, sensitivityOf } from '../policy/paths/sensitive.ts'
import { compileWildcard } from '../policy/patterns/wildcard.ts'
import type { Facts, PathFact, Root } from '../policy/types.ts'
import { isErrno } from '../store/files.ts'
import { ignoredBelow } from './ignored.ts'
import { insideFile } from './inside-file.ts'

// Facts are looked up when a decision first asks for them, and kept: what is in the records afterwards is what it depended on.

const MOST_GLOB_MATCHES = 1000
const MOST_ENTRIES = 50_000
const MOST_SENSITIVE = 100
const MOST_BELOW = 20_000
/** Made by other programs, by the ten thousands, and nobody's work. */
const NOT_ENTERED = new Set(['.git', '.qed', 'node_modules', '.venv'])

export interface FactsRequest {
  roots: { path: string; access: 'read' | 'write' }[]
  home: string
  tmp: string
  personal?: string[]
  scratch?: string
}

/** What the disk of this machine says. A path that may not be looked at stays unknown. */
export function realFacts(request: FactsRequest): Facts {
  const home = realFolder(request.home)
  const [project] = request.roots
  return {
    ...baseFacts({ ...request, home }, realFolder),
    caseInsensitive: project !== undefined && ignoresCase(project.path),
    ...lookedUp(home),
    ...(request.personal !== undefined && { personal: request.personal.map(realFolder) }),
    ...(request.scratch !== undefined && { scratch: realFolder(request.scratch) }),
  }
}

/** The same facts with nothing known of any path: whoever judges more than once must see the disk as it is then. Roots and home
 *  stay where they were. */
export function lookAgain(facts: Facts): Facts {
  return { ...facts, ...lookedUp(facts.home) }
}

function lookedUp(home: string): Pick<Facts, 'paths' | 'globs' | 'sensitiveBelow' | 'ignoredBelow' | 'below' | 'inside'> {
  return {
    paths: lazyRecord(path => pathFact(path)),
    globs: lazyRecord(pattern => expandGlob(pattern)),
    sensitiveBelow: lazyRecord(folder => sensitiveBelow(folder, home)),
    ignoredBelow: lazyRecord(folder => ignoredBelow(folder, sensitiveBelow(folder, home))),
    below: lazyRecord(folder => everythingBelow(folder)),
    inside: lazyRecord(path => insideFile(path)),
  }
}

/** Nothing is looked up: every path is where its text says, and a glob stands for its own text. */
export function textFacts(request: Omit<FactsRequest, 'personal'>): Facts {
  return {
    ...baseFacts(request, path => resolveText(path, '/')),
    caseInsensitive: false,
    paths: lazyRecord(path => ({ real: resolveText(path, '/'), exists: false, type: null, device: 0, inode: 0, links: 0 })),
    globs: lazyRecord(pattern => (mayNameSecret(pattern) ? undefined : [])),
    sensitiveBelow: lazyRecord(() => []),
  }
}

function baseFacts(
  { roots, home, tmp }: FactsRequest,
  real: (path: string) => string,
): Omit<Facts, 'caseInsensitive' | 'paths' | 'globs' | 'sensitiveBelow'> {
  return {
    roots: roots.map(({ path, access }): Root => ({ path, real: real(path), access })),
    sacredLoaded: true,
    home,
    tmp,
    createdByRun: [],
    branchesOfRun: [],
    pidsOfRun: [],
    isolation: null,
  }
}

/** A record that fills itself: whoever looks a key up, in whatever way, finds what `make` says about it. */
function lazyRecord<T>(make: (key: string) => T | undefined): Record<string, T> {
  const known: Record<string, T> = {}
  const fill = (key: string | symbol): void => {
    if (typeof key !== 'string' || Object.hasOwn(known, key)) return
    const value = make(key)
    if (value !== undefined) known[key] = value
  }
  return new Proxy(known, {
    get: (target, key) => (fill(key), Reflect.get(target, key) as unknown),
    has: (target, key) => (fill(key), Reflect.has(target, key)),
    getOwnPropertyDescriptor: (target, key) => (fill(key), Reflect.getOwnPropertyDescriptor(target, key)),
  })
}

/** What stands at a path, and where it really leads; undefined where the system does not let us look. */
export function pathFact(path: string): PathFact | undefined {
  try {
    return plainFact(path) ?? walkedFact(path)
  } catch (error) {
    if (isErrno(error, 'EACCES', 'EPERM', 'EIO', 'ESTALE')) return undefined
    throw error
  }
}

/** Where no link stands in the way: two calls in the place of one for each part. Null for any other path. */
function plainFact(path: string): PathFact | null {
  const folder = dirname(path)
  if (resolve(path) !== path || realOrNull(folder) !== folder) return null
  const found = statOrNull(path)
  return found?.isSymbolicLink() ? null : factOf(path, found)
}

function realOrNull(folder: string): string | null {
  try {
    return realpathSync.native(folder)
  } catch {
    return null
  }
}

function walkedFact(path: string): PathFact {
  const resolved = resolveReal(path, '/', lookUp)
  if (resolved.kind === 'too-many-links') return factOf(TOO_MANY_LINKS, null)
  return factOf(resolved.real, resolved.kind === 'resolved' && resolved.exists ? statOrNull(resolved.real) : null)
}

function factOf(real: string, found: Stats | null): PathFact {
  if (!found) return { real, exists: false, type: null, device: 0, inode: 0, links: 0 }
  return { real, exists: true, type: typeOf(found), device: found.dev, inode: found.ino, links: found.nlink }
}

function lookUp(path: string): Entry {
  const found = statOrNull(path)
  if (!found) return null
  // A link of the kernel leads each process elsewhere, and later elsewhere again.
  if (path.startsWith('/proc/')) return { kind: 'folder' }
  if (found.isSymbolicLink()) return { kind: 'link', target: readlinkSync(path) }
  return { kind: found.isDirectory() ? 'folder' : 'other' }
}

function statOrNull(path: string): Stats | null {
  try {
    return lstatSync(path)
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'EINVAL')) return null
    throw error
  }
}

function typeOf(found: Stats): PathFact['type'] {
  if (found.isFile()) return 'file'
  if (found.isDirectory()) return 'folder'
  if (found.isSymbolicLink()) return 'link'
  if (found.isFIFO()) return 'fifo'
  return found.isSocket() ? 'socket' : 'device'
}

function realFolder(path: string): string {
  const fact = pathFact(path)
  return fact && fact.real !== TOO_MANY_LINKS ? fact.real : resolveText(path, '/')
}

/** Whether the file system of a folder takes `A` for `a`: the same folder answers to the other spelling of its name. */
export function ignoresCase(folder: string): boolean {
  const name = basename(folder)
  const swapped = name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase()
  if (swapped === name) return false
  const [own, other] = [folder, join(dirname(folder), swapped)].map(path => statSync(path, { throwIfNoEntry: false }))
  return own !== undefined && other !== undefined && own.dev === other.dev && own.ino === other.ino
}

/** The files that a shell would put in the place of a glob, or undefined where it may mean more than we read. */
export function expandGlob(pattern: string): string[] | 'too-many' | undefined {
  if (/\[[:=.]|\\|[?*+@!]\(/.test(pattern)) return undefined
  let matches = ['']
  for (const part of pattern.split('/').filter(Boolean)) {
    const next: string[] = []
    for (const folder of matches) {
      if (/[*?[]/.test(part)) next.push(...namesIn(folder || '/', part).map(name => `${folder}/${name}`))
      else if (part === '..' || statOrNull(`${folder}/${part}`)) next.push(`${folder}/${part}`)
      if (next.length > MOST_GLOB_MATCHES) return 'too-many'
    }
    matches = next
  }
  return matches.filter(Boolean).sort()
}

function namesIn(folder: string, part: string): string[] {
  const fits = compileWildcard(part, { classes: true })
  // A shell shows hidden names only to a pattern that begins with a dot.
  return entriesOf(folder).filter(name => (part.startsWith('.') || !name.startsWith('.')) && fits(name))
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP')) return []
    throw error
  }
}

/** Files below a folder whose content is secret by their name. A folder too large to look through counts as holding some. */
export function sensitiveBelow(folder: string, home: string): string[] {
  const found: string[] = []
  const waiting = [folder]
  let seen = 0
  for (let at = waiting.pop(); at !== undefined && found.length < MOST_SENSITIVE; at = waiting.pop()) {
    for (const name of entriesOf(at)) {
      if (++seen > MOST_ENTRIES) return [...found, '(too many files to look through)']
      const path = join(at, name)
      const entry = statOrNull(path)
      if (entry?.isDirectory() && name !== '.git') waiting.push(path)
      else if (entry && sensitivityOf({ real: path, relative: null, home, added: [], excepted: [] })) found.push(path)
    }
  }
  return found.sort()
}

/** Files and folders below a folder, links not followed. What other programs keep is named and not entered. */
export function everythingBelow(folder: string): string[] | 'too-many' {
  const found: string[] = []
  const waiting = [folder]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (NOT_ENTERED.has(basename(at))) continue
    for (const name of entriesOf(at)) {
      const path = join(at, name)
      found.push(path)
      if (found.length > MOST_BELOW) return 'too-many'
      if (statOrNull(path)?.isDirectory()) waiting.push(path)
    }
  }
  return found
}
