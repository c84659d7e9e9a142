import { isInside } from '../../sandbox/paths.ts'
import type { Surroundings } from '../facts.ts'
import type { GitState, ScopeEntry, ScopeSnapshot } from './scope-snapshot.ts'

type Kind = 'added' | 'changed' | 'deleted'
type Difference = { path: string; kind: Kind }

/** What is known of the time between from elsewhere. */
export interface Between extends Pick<Surroundings, 'sandboxed' | 'commands' | 'ended' | 'escaped' | 'destructive'> {
  /** What QED itself did: absolute paths, each with all below it, and refs. */
  own: { paths: readonly string[]; refs: readonly string[] }
  /** Whether a change of this path in the place needed a leave that was not given. */
  isSacred: (path: string, kind: Kind) => boolean
}

/** F-5: what differs around the work. Pure. */
export function compareScopes(before: ScopeSnapshot, after: ScopeSnapshot, between: Between): Surroundings {
  const { sandboxed, commands, ended, escaped, destructive, own, isSacred } = between
  const [placeBefore, placeAfter] = [byPath(before.place), byPath(after.place)]
  const isOwn = ({ path }: Difference): boolean => own.paths.some(folder => isInside(folder, path))
  const inPlace = differences(placeBefore, placeAfter)
  const wasIgnored = ({ path }: Difference): boolean => (placeBefore.get(path) ?? placeAfter.get(path))?.ignored === true
  return {
    sandboxed,
    commands,
    ignored: inPlace.filter(wasIgnored),
    outside: [...inCheckout(before, after), ...differences(byPath(before.outside), byPath(after.outside))].filter(change => !isOwn(change)),
    sacred: inPlace.filter(({ path, kind }) => isSacred(path, kind)).map(({ path }) => path),
    hard_links: after.place.filter(entry => hasNewName(placeBefore.get(entry.path), entry)).map(({ path }) => path),
    git: compareGit(before.git, after.git, new Set(own.refs)),
    ended,
    escaped,
    destructive,
  }
}

function inCheckout({ checkout: before }: ScopeSnapshot, { checkout: after }: ScopeSnapshot): Difference[] {
  const root = before?.root ?? after?.root ?? ''
  return differences(byPath(before?.entries ?? []), byPath(after?.entries ?? [])).map(({ path, kind }) => ({
    path: `${root}/${path}`,
    kind,
  }))
}

type Entries = ReadonlyMap<string, ScopeEntry>

function byPath(entries: readonly ScopeEntry[]): Entries {
  return new Map(entries.map(entry => [entry.path, entry]))
}

function differences(before: Entries, after: Entries): Difference[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort()
  return paths.flatMap(path => {
    const kind = differenceOf(before.get(path), after.get(path))
    return kind ? [{ path, kind }] : []
  })
}

function differenceOf(before: ScopeEntry | undefined, after: ScopeEntry | undefined): Kind | null {
  // A folder is listed only while it is empty; being filled or emptied is told by its files.
  if (isFolder(before) && isFolder(after)) return null
  if (!before || isFolder(before)) return after && !isFolder(after) ? 'added' : null
  if (!after || isFolder(after)) return 'deleted'
  return isSame(before, after) ? null : 'changed'
}

function isFolder(entry: ScopeEntry | undefined): boolean {
  return entry?.kind === 'folder'
}

/** By digest where both have one; else the times tell. A second name alone changes nothing here; that is told by itself. */
function isSame(a: ScopeEntry, b: ScopeEntry): boolean {
  if (a.kind !== b.kind || a.mode !== b.mode || a.size !== b.size) return false
  return a.sha256 !== undefined && b.sha256 !== undefined ? a.sha256 === b.sha256 : a.times === b.times
}

function hasNewName(before: ScopeEntry | undefined, after: ScopeEntry): boolean {
  return after.kind === 'file' && after.ignored !== true && after.links > 1 && after.links > (before?.links ?? 1)
}

function compareGit(before: GitState, after: GitState, own: ReadonlySet<string>): Surroundings['git'] {
  const files = changedKeys(before.files, after.files)
  const refs = changedKeys(before.refs, after.refs).filter(ref => !own.has(ref) && !isQeds(ref))
  const isReplace = (name: string): boolean => name === 'info/grafts' || name === 'shallow'
  return {
    hooks: files.filter(name => name.startsWith('hooks/')),
    config: [
      ...files.filter(name => !name.startsWith('hooks/') && !isReplace(name)),
      ...(before.pointer === after.pointer ? [] : ['the pointer of the place to its git folder']),
    ],
    replace: [...files.filter(isReplace), ...refs.filter(ref => ref.startsWith('refs/replace/'))],
    index_flags: newFlags(before.index_flags, after.index_flags),
    refs: [
      ...refs.filter(ref => !ref.startsWith('refs/replace/')),
      ...changedKeys(before.worktrees, after.worktrees).map(name => `worktrees/${name}`),
    ],
  }
}

function isQeds(ref: string): boolean {
  return ref.startsWith('refs/qed/') || ref === 'refs/notes/qed'
}

function newFlags(before: string[] | null, after: string[] | null): string[] {
  if (after === null) return before === null ? [] : ['the index cannot be read']
  const known = new Set(before ?? [])
  return after.filter(path => !known.has(path))
}

function changedKeys(before: GitState['refs'], after: GitState['refs']): string[] {
  const [old, now] = [new Map(before), new Map(after)]
  return [...new Set([...old.keys(), ...now.keys()])].filter(key => old.get(key) !== now.get(key)).sort()
}
