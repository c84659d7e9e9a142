// A command is read in five steps: the text is checked, parsed once, walked by an allow-list of node kinds, each simple command
// freed of its wrappers, and what is left judged by tables. Whatever is not understood makes the reading stricter, never milder.
import { type ParsedScript, parse } from 'unbash'
import { shellWord } from '../../kernel/shell-word.ts'
import type { Facet, Facts, Flag, ShellClass } from '../types.ts'
import { mayAssign } from './assignments.ts'
import { logicalPath } from './folders.ts'
import { MOST_BYTES, MOST_LEVELS, textFault } from './limits.ts'
import { graver, type SegmentPath, type ShellReading } from './reading.ts'
import { bareCommand, wordsFrom } from './segment.ts'
import { readSimple } from './simple.ts'
import type { Draft, ShellState, Walker } from './state.ts'
import { walkScript } from './walk.ts'
import type { Word } from './word.ts'

export interface ShellWorld {
  /** Absolute. */
  cwd: string
  facts: Facts
}

/** What a command would do, as far as its text tells. Never throws; what cannot be understood is said so. */
export function understandShell(command: string | { argv: readonly string[] }, world: ShellWorld): ShellReading {
  const text = typeof command === 'string' ? command : command.argv.map(shellWord).join(' ')
  const reading = new Reading(text, world, { depth: 0, probes: { left: MOST_PROBES } })
  try {
    if (typeof command === 'string') reading.readText(command)
    else reading.readArgv(command.argv)
  } catch (error) {
    // The parser recurses; a text can be deeper than the stack.
    reading.unknown(`not readable: ${error instanceof Error ? error.message : 'unknown fault'}`)
  }
  return reading.result()
}

/** How often one reading looks for harm in texts that it cannot follow. */
const MOST_PROBES = 32

interface Limits {
  depth: number
  /** Shared by all readings inside one. */
  probes: { left: number }
}

class Reading implements Walker {
  readonly facts: Facts
  readonly start: string
  readonly drafts: Draft[] = []
  wordCount = 0
  readonly #text: string
  readonly #depth: number
  readonly #probes: Limits['probes']
  readonly #nested: string[] = []
  readonly #reassigned = new Map<string, boolean>()
  readonly #tainted = new Set<string>()
  #reason: string | null = null

  constructor(text: string, world: ShellWorld, limits: Limits) {
    this.#text = text
    this.start = logicalPath('/', world.cwd)
    this.#depth = limits.depth
    this.#probes = limits.probes
    this.facts = world.facts
  }

  unknown(reason: string): void {
    this.#reason ??= reason
  }

  readText(text: string): void {
    const fault = textFault(text)
    if (fault) this.unknown(fault.reason)
    if (!fault?.fatal) walkScript(parse(text), this.#state(text), this)
    // Of a text that is too long the beginning is judged, unless that too would take too long.
    else if (text.length > MOST_BYTES) this.readText(text.slice(0, MOST_BYTES / 4))
  }

  readArgv(argv: readonly string[]): void {
    const fault = argv.map(textFault).find(one => one !== null)
    if (fault) this.unknown(fault.reason)
    if (argv.length > 0) readSimple(bareCommand(wordsFrom(argv), this.#text, [0, this.#text.length]), this.#state(this.#text), this)
  }

  readScript(text: string, state: ShellState): ShellState['folders'] {
    this.#nested.push(text)
    this.#reassigned.clear()
    const fault = textFault(text)
    if (fault) this.unknown(fault.reason)
    if (fault?.fatal || state.depth > MOST_LEVELS) {
      this.unknown(`more than ${MOST_LEVELS} levels`)
      return null
    }
    return walkScript(parse(text), { ...state, source: text }, this)
  }

  walkParsed(script: ParsedScript, state: ShellState): ShellState['folders'] {
    return walkScript(script, state, this)
  }

  readWords(argv: Word[], state: ShellState): void {
    const text = argv.map(word => word.text).join(' ')
    if (state.depth >= MOST_LEVELS) this.unknown(`more than ${MOST_LEVELS} levels`)
    else if (argv.length > 0) readSimple(bareCommand(argv, text, state.origin ?? [0, 0]), { ...state, depth: state.depth + 1 }, this)
  }

  harmOf(what: string | readonly Word[], state: ShellState): Flag[] {
    const depth = Math.max(state.depth, this.#depth) + 1
    if (depth > MOST_LEVELS || this.#probes.left-- <= 0) return []
    const text = typeof what === 'string' ? what : what.map(word => word.text).join(' ')
    const inner = new Reading(text, { cwd: state.folders?.[0] ?? this.start, facts: this.facts }, { depth, probes: this.#probes })
    if (typeof what === 'string') inner.readText(what)
    else inner.readWords([...what], inner.#state(text))
    return inner.drafts.flatMap(({ segment }) => segment.flags.filter(flag => flag === 'destructive' || flag === 'catastrophic'))
  }

  taint(name: string): void {
    this.#tainted.add(name)
  }

  isTainted(name: string): boolean {
    return this.#tainted.has(name)
  }

  isReassigned(name: string): boolean {
    let known = this.#reassigned.get(name)
    if (known === undefined) {
      known = mayAssign(this.#text, name) || this.#nested.some(text => mayAssign(text, name))
      this.#reassigned.set(name, known)
    }
    return known
  }

  #state(source: string): ShellState {
    return {
      folders: [this.start],
      via: 'top',
      depth: this.#depth,
      stdin: { kind: 'none' },
      variables: NO_VARIABLES,
      outer: NO_OUTER,
      origin: null,
      source,
      fed: null,
    }
  }

  result(): ShellReading {
    const isKnown = this.#reason === null
    const facets: Facet[] = []
    let gravest: ShellClass = isKnown ? 'read-only' : 'other'
    for (const draft of this.drafts) {
      const { segment } = draft
      if (!isKnown && !segment.flags.includes('ambiguous')) segment.flags.push('ambiguous')
      gravest = graver(gravest, segment.class)
      addFacets(draft, isKnown, facets)
    }
    if (!isKnown && facets.length === 0)
      facets.push({ category: 'shell', verb: 'process.exec', flags: ['ambiguous'], ambiguity: 'unknown-grammar' })
    return {
      grammar: isKnown ? 'known' : 'unknown',
      ...(this.#reason !== null && { unknown_reason: this.#reason }),
      class: gravest,
      segments: this.drafts.map(draft => draft.segment),
      levels: this.drafts.map(draft => draft.levels),
      facets,
    }
  }
}

const NO_VARIABLES: ShellState['variables'] = new Map()
const NO_OUTER: ShellState['outer'] = { wrappers: [], levels: [], transparent: true, flags: [] }

function addFacets({ segment, hosts, secrets, ambiguity }: Draft, isKnown: boolean, facets: Facet[]): void {
  const why = isKnown ? ambiguity : 'unknown-grammar'
  const { index } = segment
  facets.push({
    category: segment.category,
    verb: 'process.exec',
    segment: index,
    argv: segment.argv.map(word => word.text),
    flags: segment.flags,
    ...(why !== null && { ambiguity: why }),
  })
  for (const path of segment.paths) if (!path.glob) facets.push(pathFacet(path, index))
  for (const { host, verb } of hosts) facets.push({ category: 'network', verb, segment: index, host, flags: [] })
  for (const secret of secrets) facets.push({ category: 'secrets', verb: 'secret.read', segment: index, secret, flags: [] })
}

const LOOKS = new Set<SegmentPath['access']>(['read', 'list', 'link'])

function pathFacet({ path, access, recursive, inferred, excludes, only, partial, skipsIgnored }: SegmentPath, segment: number): Facet {
  const isLook = LOOKS.has(access)
  return {
    category: isLook ? 'read' : 'edit',
    verb: isLook ? 'file.read' : 'file.write',
    segment,
    path,
    access,
    flags: [],
    ...(recursive && { recursive }),
    ...(inferred && { inferred }),
    ...(excludes && { excludes }),
    ...(only && { only }),
    ...(partial && { partial }),
    ...(skipsIgnored && { skipsIgnored }),
  }
}
