// Thinking in all its spellings. What is inside never becomes a call.
import { firstIndex } from '../first-index.ts'

const NAMES = 'thinking|think|thoughts|thought|reasoning|reflection|scratchpad'

interface Pair {
  opener: string
  /** A source of a regular expression; `$1` is what the opener's group caught. */
  closer: string
  /** A closer that means nothing alone. */
  silent?: true
}

const pairs: Pair[] = [
  { opener: `<((?:[\\w.-]+:)?(?:${NAMES}))\\s*>`, closer: '</$1\\s*>' },
  { opener: '\\[THINK\\]', closer: '\\[/THINK\\]' },
  { opener: '◁think▷', closer: '◁/think▷' },
  { opener: '<\\|START_THINKING\\|>', closer: '<\\|END_THINKING\\|>' },
  { opener: '<\\|open\\|>think<\\|sep\\|>', closer: '<\\|close\\|>think<\\|sep\\|>' },
  { opener: '<\\|channel>thought', closer: '<channel\\|>' },
  {
    opener: '<\\|channel\\|>\\s{0,8}analysis\\s{0,8}<\\|message\\|>',
    closer: '<\\|(?:end|start|channel|return)\\|>',
    silent: true,
  },
]

const orphanSources = pairs.filter(pair => !pair.silent).map(pair => pair.closer.replace('$1', `(?:[\\w.-]+:)?(?:${NAMES})`))
/** These begin the next message and are left for it. */
export const KEPT_CLOSER = /^<\|(?:start|channel)\|>$/i
const openers = pairs.map(pair => ({ ...pair, pattern: new RegExp(pair.opener, 'iy') }))
const orphanCloser = new RegExp(orphanSources.join('|'), 'iy')
const anySource = `(${pairs.map(pair => pair.opener.replace(/\((?!\?)/, '(?:')).join('|')})|(${orphanSources.join('|')})`
const markHere = new RegExp(anySource, 'iy')
const nextMark = new RegExp(anySource, 'gi')
const MOST_PATTERNS = 200
const closerPatterns = new Map<string, RegExp>()

interface ThinkingPart {
  /** What was thought. */
  inner: [number, number]
  end: number
  closed: boolean
}

/** The thinking that begins at `at`, if any does. Without its closer it runs to the end of the text. */
export function thinkingAt(text: string, at: number, end: number): ThinkingPart | undefined {
  const opener = thinkingOpenerAt(text, at)
  if (!opener) return undefined
  const from = at + opener.length
  opener.closer.lastIndex = from
  const closed = opener.closer.exec(text)
  if (!closed || closed.index + closed[0].length > end) return { inner: [from, end], end, closed: false }
  const kept = KEPT_CLOSER.test(closed[0])
  return { inner: [from, closed.index], end: kept ? closed.index : closed.index + closed[0].length, closed: true }
}

/** The thinking opener at `at`: its length, and what will close it. */
export function thinkingOpenerAt(text: string, at: number): { length: number; closer: RegExp } | undefined {
  if (!isMarkAt(text, at)) return undefined
  for (const { pattern, closer } of openers) {
    pattern.lastIndex = at
    const opened = pattern.exec(text)
    if (opened) return { length: opened[0].length, closer: closerPattern(closer, opened[1]) }
  }
  return undefined
}

export function isThinkingName(name: string): boolean {
  return new RegExp(`^(?:[\\w.-]+:)?(?:${NAMES})$`, 'i').test(name)
}

function isMarkAt(text: string, at: number): boolean {
  const next = text.charCodeAt(at + 1)
  // Twice the same character, or a blank, opens nothing; this spares the patterns most of the places in code.
  if (next === text.charCodeAt(at) || next === 32) return false
  markHere.lastIndex = at
  return markHere.test(text)
}

/** Where the thinking closer that stands at `at` ends; its opener was in the prompt. */
export function orphanCloserAt(text: string, at: number): number | undefined {
  if (!isMarkAt(text, at)) return undefined
  orphanCloser.lastIndex = at
  const found = orphanCloser.exec(text)
  return found ? at + found[0].length : undefined
}

interface Mark {
  at: number
  end: number
  opens: boolean
}

/** Every opener and closer of thinking in a text, found once. */
export class ThinkingMarks {
  readonly #text: string
  #marks: Mark[] | undefined

  constructor(text: string) {
    this.#text = text
  }

  /** The first closer between two positions that no opener there belongs to. */
  orphanIn(from: number, end: number): { at: number; end: number } | undefined {
    this.#marks ??= this.#findAll()
    const marks = this.#marks
    let open = 0
    for (let i = firstIndex(marks.length, index => (marks[index]?.at ?? 0) >= from); i < marks.length; i++) {
      const mark = marks[i]
      if (!mark || mark.end > end) return undefined
      if (mark.opens) open++
      else if (open > 0) open--
      else return mark
    }
    return undefined
  }

  #findAll(): Mark[] {
    const marks: Mark[] = []
    nextMark.lastIndex = 0
    for (let mark = nextMark.exec(this.#text); mark; mark = nextMark.exec(this.#text))
      marks.push({ at: mark.index, end: mark.index + mark[0].length, opens: mark[1] !== undefined })
    return marks
  }
}

function closerPattern(source: string, name: string | undefined): RegExp {
  const filled = name === undefined ? source : source.replace('$1', name.toLowerCase().replace(/[.]/g, '\\.'))
  const known = closerPatterns.get(filled)
  if (known) return known
  // The prefix of a tag is free text, so the store of patterns must not grow with what models write.
  if (closerPatterns.size > MOST_PATTERNS) closerPatterns.clear()
  const made = new RegExp(filled, 'gi')
  closerPatterns.set(filled, made)
  return made
}
