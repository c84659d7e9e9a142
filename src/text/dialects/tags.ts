// The tags of known tools in a text, found once, and where each body ends. Model text is not XML: only these names are looked
// at, and what a body holds is decided by counting tags of its own name, never by parsing what is between them.
import { type AttributeList, attributeReader } from '../attributes.ts'
import { isBlankOrBreak, isFirstOnLine, skipBlanksOnLine } from '../blanks.ts'
import { firstIndex } from '../first-index.ts'

export interface Tag {
  kind: 'open' | 'close'
  /** As written. */
  name: string
  at: number
  end: number
  /** An opening that stands first on its line; a closing after which nothing else stands on its line, or a call begins. */
  hard: boolean
  /** Of an opening. */
  list?: AttributeList
}

/** How the body of an opening would end, counting only tags of its name behind it. */
interface BodyEnd {
  closing: Tag | undefined
  /** Its tags pair up. If not, the end is a guess. */
  inOrder: boolean
}

const LINE_FEED = 10
const LESS = 60
const SLASH = 47
const GREATER = 62
const NAME = /[A-Za-z_][\w.-]*/y

export class TagIndex {
  readonly #byPosition = new Map<number, Tag>()
  readonly #byName = new Map<string, { tags: Tag[]; bodies: BodyEnd[] | undefined; lastClosing: number }>()
  /** Positions of openings that stand first on their line. */
  readonly #lineOpenings: number[] = []
  readonly #text: string

  constructor(text: string, end: number, names: Iterable<string>) {
    this.#text = text
    const known = new Set(names)
    const starts = known.size === 0 ? [] : findStarts(text, end, known)
    for (const start of starts) if (start.kind === 'open' && isFirstOnLine(text, start.at)) this.#lineOpenings.push(start.at)
    const openings = new Set(starts.filter(start => start.kind === 'open').map(start => start.at))
    const read = attributeReader(text, { end, nextCallLine: from => this.nextLineOpening(from), isCall: at => openings.has(at) })
    for (const start of starts) this.#add(start, read, end, known)
  }

  at(position: number): Tag | undefined {
    return this.#byPosition.get(position)
  }

  /** The first opening at or after a position that stands first on its line; -1 if none does. */
  nextLineOpening(from: number): number {
    const openings = this.#lineOpenings
    return openings[firstIndex(openings.length, i => (openings[i] ?? 0) >= from)] ?? -1
  }

  hasClosingAfter(name: string, position: number): boolean {
    return (this.#byName.get(name)?.lastClosing ?? -1) >= position
  }

  /** The closings of a name behind a position, in order. */
  *closingsAfter(name: string, position: number): Generator<Tag> {
    const tags = this.#byName.get(name)?.tags ?? []
    for (let i = firstAtOrAfter(tags, position); i < tags.length; i++) {
      const tag = tags[i]
      if (tag?.kind === 'close') yield tag
    }
  }

  /** Where the body ends that begins at `position` under a tag of this name. */
  bodyEnd(name: string, position: number): BodyEnd {
    const entry = this.#byName.get(name)
    if (!entry) return { closing: undefined, inOrder: true }
    entry.bodies ??= bodyEnds(entry.tags)
    return entry.bodies[firstAtOrAfter(entry.tags, position)] ?? { closing: undefined, inOrder: true }
  }

  #add({ kind, name, at, nameEnd }: Start, read: (at: number) => AttributeList, end: number, known: Set<string>): void {
    if (kind === 'close') {
      this.#keep({ kind, name, at, end: nameEnd + 1, hard: isHardClosing(this.#text, nameEnd + 1, end, known) })
      return
    }
    const list = read(nameEnd)
    const tag: Tag = { kind, name, at, end: list.end, hard: this.nextLineOpening(at) === at, list }
    this.#byPosition.set(at, tag)
    // What has no body, or is no tag at all, does not count when bodies are paired.
    if (list.ending === 'open') this.#keep(tag)
  }

  #keep(tag: Tag): void {
    this.#byPosition.set(tag.at, tag)
    const entry = this.#byName.get(tag.name) ?? { tags: [], bodies: undefined, lastClosing: -1 }
    this.#byName.set(tag.name, entry)
    entry.tags.push(tag)
    if (tag.kind === 'close') entry.lastClosing = tag.at
  }
}

interface Start {
  kind: 'open' | 'close'
  name: string
  at: number
  nameEnd: number
}

function findStarts(text: string, end: number, known: Set<string>): Start[] {
  const starts: Start[] = []
  for (let at = text.indexOf('<'); at >= 0 && at < end; at = text.indexOf('<', at + 1)) {
    const start = startAt(text, at, end, known)
    if (start) starts.push(start)
  }
  return starts
}

function startAt(text: string, at: number, end: number, known: Set<string>): Start | undefined {
  const closes = text.charCodeAt(at + 1) === SLASH
  NAME.lastIndex = closes ? at + 2 : at + 1
  const name = NAME.exec(text)?.[0]
  if (name === undefined || !known.has(name)) return undefined
  const nameEnd = NAME.lastIndex
  if (nameEnd > end) return undefined
  const next = text.charCodeAt(nameEnd)
  if (closes) return next === GREATER && nameEnd < end ? { kind: 'close', name, at, nameEnd } : undefined
  const opens = nameEnd >= end || isBlankOrBreak(next) || next === SLASH || next === GREATER
  return opens ? { kind: 'open', name, at, nameEnd } : undefined
}

function isHardClosing(text: string, after: number, end: number, known: Set<string>): boolean {
  const next = skipBlanksOnLine(text, after, end)
  if (next >= end || text.charCodeAt(next) === LINE_FEED) return true
  return text.charCodeAt(next) === LESS && startAt(text, next, end, known)?.kind === 'open'
}

/** One walk from the right answers for every place at which a body could begin. Index: the first tag inside the body. */
function bodyEnds(tags: Tag[]): BodyEnd[] {
  const ends: BodyEnd[] = []
  let closing: Tag | undefined
  /** Openings that the hard closings further right still want. */
  let wanted = 0
  let pairing = emptyPairing()
  for (let i = tags.length - 1; i >= 0; i--) {
    const tag = tags[i]
    if (!tag) continue
    if (tag.kind === 'open') {
      wanted = Math.max(0, wanted - 1)
      pairing.open(tag.hard)
    } else {
      if (wanted === 0) {
        closing = tag
        pairing = emptyPairing()
      } else pairing.close(tag.hard)
      if (tag.hard) wanted++
    }
    ends[i] = { closing, inOrder: pairing.inOrder() }
  }
  return ends
}

/** Pairs the tags inside one body, from its end to its start. A hard closing needs an opening further left, a hard opening
 *  needs a closing further right; soft ones may stay alone. */
function emptyPairing() {
  let hardClosings = 0
  let softClosings = 0
  let softOpenings = 0
  let failed = false
  return {
    close(hard: boolean): void {
      if (hard) hardClosings++
      else softClosings++
    },
    open(hard: boolean): void {
      if (!hard) softOpenings = Math.min(softOpenings + 1, hardClosings)
      else if (hardClosings > 0) softOpenings = Math.min(softOpenings, --hardClosings)
      else if (softClosings > 0) softClosings--
      else failed = true
    },
    inOrder: (): boolean => !failed && hardClosings <= softOpenings,
  }
}

function firstAtOrAfter(tags: Tag[], position: number): number {
  return firstIndex(tags.length, i => (tags[i]?.at ?? 0) >= position)
}
