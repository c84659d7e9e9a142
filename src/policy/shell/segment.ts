import type { Ambiguity, Flag, ShellClass } from '../types.ts'
import { isBlockDevice } from './devices.ts'
import type { Judgement, PathUse } from './judgement.ts'
import { inferredPaths, placePaths } from './paths.ts'
import { graver, type SegmentAssignment, type SegmentLevels, type SegmentPath } from './reading.ts'
import type { Redirects } from './redirects.ts'
import type { Draft, Reader, ShellState } from './state.ts'
import { staticWord, type Word } from './word.ts'

/** One simple command with its words resolved. */
export interface SimpleCommand {
  argv: Word[]
  assignments: SegmentAssignment[]
  redirects: Redirects
  secrets: string[]
  text: string
  range: [number, number]
  isBackground: boolean
  /** A process substitution among the words fetches from another machine. */
  bringsNetwork: boolean
}

const TRUSTED_FOLDERS = ['/bin/', '/usr/bin/', '/usr/local/bin/']

/** A command while its wrappers come off. */
export interface Peeled {
  argv: Word[]
  levels: SegmentLevels
  wrappers: string[]
  flags: Set<Flag>
  ambiguity: Ambiguity | null
  fed: readonly PathUse[] | null
  /** Whether the fed operands come from a listing of files. */
  isListed: boolean
  extraReads: PathUse[]
}

export function addAmbiguity(target: { flags: Set<Flag>; ambiguity: Ambiguity | null }, why: Ambiguity): void {
  target.flags.add('ambiguous')
  target.ambiguity ??= why
}

/** Puts a segment together from what was found out about it. */
export function addSegment(judgement: Judgement, peeled: Peeled, command: SimpleCommand, state: ShellState, reader: Reader): void {
  const [program] = peeled.argv
  const base = baseOf(program, reader)
  for (const flag of judgement.flags ?? []) peeled.flags.add(flag)
  if (judgement.flags?.includes('ambiguous')) addAmbiguity(peeled, judgement.ambiguity ?? 'ambiguous')
  const folders = judgement.folders === undefined ? state.folders : judgement.folders
  const placed = placePaths([...(judgement.paths ?? []), ...peeled.extraReads], folders, reader.facts)
  const guessed = judgement.knowsPaths
    ? []
    : placePaths(inferredPaths(peeled.argv.slice(1), folders, reader.facts), folders, reader.facts).paths
  const inferred = guessed.filter(({ path }) => !placed.paths.some(known => known.path === path))
  if (placed.isUnplaced) addAmbiguity(peeled, 'dynamic-word')
  const draft: Draft = {
    segment: {
      index: reader.drafts.length,
      text: command.text,
      range: command.range,
      program: program?.text ?? '',
      argv: peeled.levels.argvs.at(-1) ?? [],
      via: state.via,
      wrappers: peeled.wrappers,
      assignments: command.assignments,
      redirects: command.redirects.shown,
      cwd: state.folders === null ? null : [...state.folders],
      class: judgement.class,
      category: base === 'git' ? 'git' : 'shell',
      flags: [...peeled.flags],
      paths: [...placed.paths, ...inferred.map(path => ({ ...path, inferred: true }))],
    },
    levels: peeled.levels,
    hosts: [...(judgement.hosts ?? [])],
    secrets: [...new Set([...command.secrets, ...(judgement.secrets ?? [])])],
    ambiguity: peeled.ambiguity,
  }
  reader.drafts.push(draft)
  attachRedirects(draft, command.redirects, state, reader)
  noteHarm(draft)
}

/** Lets redirections speak on a segment: of its own command, or of the compound it stands first in. */
export function attachRedirects(draft: Draft, redirects: Redirects, state: ShellState, reader: Reader): void {
  const { segment } = draft
  const placed = placePaths(redirects.paths, state.folders, reader.facts)
  const uncertain = redirects.hasDynamicTarget || placed.isUnplaced
  const isGlob = placed.paths.some(path => path.glob)
  const flags = new Set<Flag>([...segment.flags, ...redirects.flags])
  const target = { flags, ambiguity: draft.ambiguity }
  if (uncertain || isGlob) addAmbiguity(target, uncertain ? 'dynamic-word' : 'ambiguous')
  draft.ambiguity = target.ambiguity
  segment.flags = [...flags]
  segment.paths.push(...placed.paths)
  draft.hosts.push(...redirects.hosts)
  if (redirects.shown.length > 0 && segment.redirects !== redirects.shown) segment.redirects = [...segment.redirects, ...redirects.shown]
  segment.class = graver(segment.class, classOf(redirects, placed.paths))
  noteHarm(draft)
}

function classOf({ hosts, hasDynamicTarget }: Redirects, paths: readonly SegmentPath[]): ShellClass {
  if (hosts.length > 0) return 'network'
  return hasDynamicTarget || paths.some(path => path.access !== 'read') ? 'file-effect' : 'read-only'
}

function noteHarm({ segment }: Draft): void {
  const overwritesDisk = segment.paths.some(path => path.access !== 'read' && path.access !== 'list' && isBlockDevice(path.path))
  if (overwritesDisk && !segment.flags.includes('catastrophic')) segment.flags.push('catastrophic')
  if (segment.flags.includes('catastrophic') || segment.flags.includes('destructive')) segment.class = 'destructive'
}

export function baseOf(program: Word | undefined, reader: Reader): string {
  if (program === undefined) return ''
  const name = program.text.slice(program.text.lastIndexOf('/') + 1)
  return withoutVersion(reader.facts.caseInsensitive ? name.toLowerCase() : name)
}

const VERSIONED =
  /^(python|pypy|perl|ruby|irb|php|lua|luajit|node|nodejs|tclsh|bash|dash|zsh|ksh|mksh|pwsh|pip|gawk|mawk|psql)-?\d+(?:\.\d+)*$/

/** `python3.12` is a python. */
function withoutVersion(name: string): string {
  return name.charCodeAt(name.length - 1) > 57 ? name : (VERSIONED.exec(name)?.[1] ?? name)
}

/** The name of a program that is certainly the known one. */
export function trustedName(program: Word): string | null {
  if (program.kind !== 'static') return null
  const { text } = program
  if (!text.includes('/')) return text
  const folder = TRUSTED_FOLDERS.find(one => text.startsWith(one))
  const name = folder === undefined ? '/' : text.slice(folder.length)
  return name.includes('/') ? null : name
}

/** A command that nobody wrote down as text: an argument vector, or what a program starts. */
export function bareCommand(argv: Word[], text: string, range: [number, number]): SimpleCommand {
  const redirects: Redirects = { shown: [], paths: [], hosts: [], flags: [], stdin: null, hasDynamicTarget: false }
  return { argv, assignments: [], redirects, secrets: [], text, range, isBackground: false, bringsNetwork: false }
}

export function wordsFrom(texts: readonly string[]): Word[] {
  return texts.map(staticWord)
}
