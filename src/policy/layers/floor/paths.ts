import { changes } from '../../access.ts'
import { foldName, isWithin } from '../../paths/names.ts'
import type { PathSettings, ResolvedPath } from '../../paths/resolve-path.ts'
import { compileWildcard } from '../../patterns/wildcard.ts'
import type { Facet } from '../../types.ts'
import type { Answer, Layer, Subject } from '../layer.ts'
import { changedBelow, seenBelow } from './below.ts'

export const malformedPath: Layer = ({ malformed, facet }) =>
  malformed === null ? null : deny('malformed-path', `The path ${JSON.stringify(facet.path ?? '')} is refused: ${malformed}.`)

export const device: Layer = ({ path }) => {
  if (path?.special === 'kernel') return deny('device', `${path.real} belongs to the kernel, not to the project.`)
  return path?.special === 'device' ? deny('device', `${path.real} is a device, a FIFO or a socket, not a file.`) : null
}

export const outsideRoots: Layer = ({ path, facet }) => {
  if (!path || path.special === 'free') return null
  if (path.root === null) {
    const reason = `${path.real} is outside every root. A person can add its folder to "roots" of the personal config.`
    // A guessed path may be no path at all, so a person may say so.
    return facet.inferred ? { ...deny('outside-roots', reason), verdict: 'ask' } : deny('outside-roots', reason)
  }
  if (!changes(facet.access) || path.root.access === 'write') return null
  return deny('outside-roots', `${path.root.path} is given for reading only.`)
}

export const secret: Layer = subject => {
  const { path, facet } = subject
  if (facet.verb === 'secret.read') return deny('secret', 'Secret values are never shown. Use the secret by its name inside a command.')
  if (!path || facet.access === 'list') return null
  if (path.sensitivity?.kind === 'sensitive') {
    const { row, pattern } = path.sensitivity
    return deny('secret', `${path.real} is secret by its name (${row}: ${pattern}). Ask the person for what you need of it.`)
  }
  // The built-in tools skip secret files themselves; a command does not. What is deleted is shown to nobody.
  const shows = facet.access !== 'delete' && (facet.segment !== undefined || changes(facet.access)) && !writesSome(facet)
  const below = facet.recursive && shows ? secretBelow(subject, path) : []
  if (below.length === 0) return null
  const way = changes(facet.access) ? 'Name what you mean one by one.' : 'Use the built-in grep, which leaves them out.'
  return deny('secret', `${path.real} holds secret files (${below.slice(0, 3).join(', ')}). ${way}`)
}

/** Some files of a folder are written, and nobody says that the secret ones are among them; what is not certain is asked about. */
function writesSome({ access, partial }: Facet): boolean {
  return partial === true && (access === 'create' || access === 'write')
}

/** Files below that a recursive facet would open or change, secret by a name that everyone knows or that a layer added. */
function secretBelow(subject: Subject, path: ResolvedPath): string[] {
  const { facet, operation, pathSettings } = subject
  const { facts } = operation
  const ignored = facet.skipsIgnored ? new Set(listedBelow(path, facts.ignoredBelow ?? {})) : null
  const added = pathSettings.sensitive.length === 0 ? [] : seenBelow(subject).filter(({ relative }) => isAdded(relative, pathSettings))
  return [...listedBelow(path, facts.sensitiveBelow), ...added.map(({ real }) => real)].filter(
    file => !pathSettings.sensitiveExcept.includes(file) && !ignored?.has(file) && isOpened(file, facet),
  )
}

function isAdded(relative: string | null, { sensitive }: PathSettings): boolean {
  return relative !== null && sensitive.some(pattern => pattern.matches(relative))
}

function listedBelow({ absolute, real }: ResolvedPath, below: Record<string, string[]>): string[] {
  return [absolute, real].flatMap(path => (Object.hasOwn(below, path) ? (below[path] ?? []) : []))
}

/** Whether a recursive read would open a file, by the names that its options pass over or look for. */
function isOpened(file: string, { excludes = [], only }: Facet): boolean {
  const parts = file.split('/')
  const name = parts.at(-1) ?? ''
  const fits = (pattern: string, text: string): boolean => compileWildcard(pattern, { classes: true })(text)
  if (only && !only.some(pattern => fits(pattern, name))) return false
  return !excludes.some(pattern =>
    pattern.endsWith('/') ? parts.slice(0, -1).some(part => fits(pattern.slice(0, -1), part)) : fits(pattern, name),
  )
}

/** What QED and git keep for themselves: the worker's judge must not be its own. */
export const ownFolders: Layer = subject => {
  const { path, facet } = subject
  if (!path || path.special === 'free' || !changes(facet.access)) return null
  const own = ownPart(path.relative)
  if (own) return deny('self-protection', `${own} is written by ${own === '.git' ? 'git' : 'QED'} alone.`)
  if (facet.recursive && !facet.partial && holdsARoot(subject, path))
    return deny('self-protection', `${path.real} holds .qed and .git, which are not to be written.`)
  const below = changedBelow(subject).find(({ relative }) => ownPart(relative))
  if (below) return deny('self-protection', `${path.real} holds ${below.real}, which is not to be written.`)
  return isPersonal(subject, path) ? deny('self-protection', `${path.real} is in the person's own folder of QED.`) : null
}

function ownPart(relative: string | null): string | undefined {
  return (relative ?? '')
    .split('/')
    .map(foldName)
    .find(part => part === '.qed' || part === '.git')
}

function holdsARoot({ operation: { facts } }: Subject, path: ResolvedPath): boolean {
  const project = facts.roots[0]
  return project !== undefined && isWithin(project.real, path.real, facts.caseInsensitive)
}

// A run's place and scratch folder stand inside the personal folder as roots of their own.
function isPersonal({ operation: { facts } }: Subject, { real, root }: ResolvedPath): boolean {
  const within = (path: string, folder: string): boolean => isWithin(path, folder, facts.caseInsensitive)
  return (facts.personal ?? []).some(
    folder => within(real, folder) && (root === null || !within(root.real, folder) || root.real === folder),
  )
}

function deny(code: string, reason: string): Answer {
  return { verdict: 'deny', rule: code, code, reason }
}
