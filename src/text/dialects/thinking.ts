// Thinking in all its spellings. What is inside never becomes a call.

const NAMES = 'thinking|think|thoughts|thought|reasoning|reflection|scratchpad'

interface Pair {
  opener: string
  /** A source of a regular expression; `$1` is what the opener's group caught. */
  closer: string
  /** The closer begins the next construct and is left for it. */
  keepCloser?: string
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
    keepCloser: '<\\|(?:start|channel)\\|>',
    silent: true,
  },
]

const orphanSources = pairs.filter(pair => !pair.silent).map(pair => pair.closer.replace('$1', `(?:[\\w.-]+:)?(?:${NAMES})`))
const openers = pairs.map(pair => ({ ...pair, pattern: new RegExp(pair.opener, 'iy') }))
const orphanCloser = new RegExp(orphanSources.join('|'), 'iy')
const anyMark = new RegExp(`(${pairs.map(pair => pair.opener.replace(/\((?!\?)/, '(?:')).join('|')})|(${orphanSources.join('|')})`, 'gi')
const closerPatterns = new Map<string, RegExp>()

export interface ThinkingPart {
  /** What was thought. */
  inner: [number, number]
  end: number
  closed: boolean
}

/** The thinking that begins at `at`, if any does. Without its closer it runs to the end of the text. */
export function thinkingAt(text: string, at: number, end: number): ThinkingPart | undefined {
  for (const { pattern, closer, keepCloser } of openers) {
    pattern.lastIndex = at
    const opened = pattern.exec(text)
    if (!opened) continue
    const from = at + opened[0].length
    const close = closerPattern(closer, opened[1])
    close.lastIndex = from
    const closed = close.exec(text)
    if (!closed || closed.index + closed[0].length > end) return { inner: [from, end], end, closed: false }
    const kept = keepCloser !== undefined && new RegExp(`^(?:${keepCloser})$`, 'i').test(closed[0])
    return { inner: [from, closed.index], end: kept ? closed.index : closed.index + closed[0].length, closed: true }
  }
  return undefined
}

/** Where the thinking closer that stands at `at` ends; its opener was in the prompt. */
export function orphanCloserAt(text: string, at: number): number | undefined {
  orphanCloser.lastIndex = at
  const found = orphanCloser.exec(text)
  return found ? at + found[0].length : undefined
}

/** The first thinking closer between two positions that no opener there belongs to. */
export function orphanCloserIn(text: string, from: number, end: number): { at: number; end: number } | undefined {
  let open = 0
  anyMark.lastIndex = from
  for (let mark = anyMark.exec(text); mark && mark.index + mark[0].length <= end; mark = anyMark.exec(text)) {
    if (mark[1] !== undefined) open++
    else if (open > 0) open--
    else return { at: mark.index, end: mark.index + mark[0].length }
  }
  return undefined
}

function closerPattern(source: string, name: string | undefined): RegExp {
  const filled = name === undefined ? source : source.replace('$1', name.toLowerCase().replace(/[.]/g, '\\.'))
  const known = closerPatterns.get(filled)
  if (known) return known
  // The prefix of a tag is free text, so the store of patterns must not grow with what models write.
  if (closerPatterns.size > 200) closerPatterns.clear()
  const made = new RegExp(filled, 'gi')
  closerPatterns.set(filled, made)
  return made
}
