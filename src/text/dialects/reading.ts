// What has been found so far while a reply is read from the left.
import { skipBlanks } from '../blanks.ts'
import { Lookahead } from './budget.ts'
import { Fences } from './fences.ts'
import { type FoundCall, finishNative, reject } from './finish-call.ts'
import { markEnd } from './native/marks.ts'
import { isInString } from './quoted.ts'
import { type NotationResult, warning } from './raw-call.ts'
import { TagIndex } from './tags.ts'
import { ThinkingMarks, thinkingAt } from './thinking.ts'
import type { Tools } from './tools.ts'
import type { Dialect, Warning } from './types.ts'

type Span = [number, number]

interface Thought {
  inner: Span
  whole: Span
}

export interface Reading {
  text: string
  end: number
  dialect: Dialect
  tools: Tools
  tags: TagIndex
  fences: Fences
  ahead: Lookahead
  marks: ThinkingMarks
  found: FoundCall[]
  warnings: Warning[]
  /** What leaves the prose, in order. */
  removed: Span[]
  /** What was thought: the inside of each part, and its whole extent. */
  thoughts: Thought[]
  /** How many of them lie before `replyAt`. */
  settledThoughts: number
  /** Behind the last thinking closer whose opener was in the prompt: what counts as the reply begins here. */
  replyAt: number
  /** Calls that begin before this are in doubt with the one that set it. */
  doubtUntil: number
  /** Closing lines of fences whose inside is read. */
  openFences: Span[]
  /** The position that counts as the first of its line, and where that line begins. */
  lineStart: number
  lineAt: number
  onlyFences: boolean | undefined
}

export function newReading(text: string, dialect: Dialect, tools: Tools): Reading {
  const end = text.length
  const names = dialect === 'auto' || dialect === 'tags' ? [...tools.byName.keys(), ...tools.nicknames.keys()] : []
  const lineStart = skipBlanks(text, 0, end)
  return {
    text,
    end,
    dialect,
    tools,
    tags: new TagIndex(text, end, names),
    fences: new Fences(text, end),
    ahead: new Lookahead(text),
    marks: new ThinkingMarks(text),
    found: [],
    warnings: [],
    removed: [],
    thoughts: [],
    settledThoughts: 0,
    replyAt: 0,
    doubtUntil: 0,
    openFences: [],
    lineStart,
    lineAt: text.lastIndexOf('\n', lineStart - 1) + 1,
    onlyFences: undefined,
  }
}

export const readsNative = ({ dialect }: Reading): boolean => dialect === 'auto' || dialect === 'native'

/** Takes a call out of the prose. */
export function removeCall(reading: Reading, from: number, to: number): number {
  reading.removed.push([from, to])
  return to
}

/** Takes something that says nothing out of the prose. If it began a line, what follows begins it in its place. */
export function removeQuiet(reading: Reading, from: number, to: number): number {
  const beganLine = reading.lineStart === from
  reading.removed.push([from, to])
  if (beganLine) {
    reading.lineStart = skipBlanksInLine(reading, to)
    reading.lineAt = Math.max(reading.lineAt, to)
  }
  return to
}

function skipBlanksInLine({ text, end }: Reading, at: number): number {
  let i = at
  while (i < end && (text[i] === ' ' || text[i] === '\t')) i++
  return i
}

export function addCall(reading: Reading, call: FoundCall): void {
  if (call.span[0] < reading.doubtUntil && !call.reads)
    reject(call, 'incomplete', `An unclear call before ${call.name} makes its bounds unclear too. Close each call and send both again.`)
  reading.found.push(call)
}

const ENDED_IN_CALL = 'Thinking ended inside a call that was not finished; nothing in that call was read. Send what is meant again.'

/** Takes over what a notation found. Answers where reading goes on. */
export function addNotation(reading: Reading, start: number, result: NotationResult): number {
  const doubtful = result.kind === 'prose' || result.calls.some(call => call.cut)
  const orphan = doubtful ? reading.marks.orphanIn(start, result.end) : undefined
  if (orphan) {
    // What follows it inside a value was meant as an argument, whoever thought it.
    const isInValue = orphan.at >= (result.valuesAt ?? Number.POSITIVE_INFINITY)
    const isArgument = isInValue || reading.ahead.isSpent || isInString(reading.text, start, orphan.at, result.end)
    const next = endThinking(reading, orphan.at, orphan.end)
    reading.ahead.pay(result.end - next)
    if (!isArgument) return next
    reading.warnings = [warning('thinking_orphan', ENDED_IN_CALL, orphan.at)]
    return Math.max(next, result.end)
  }
  for (const one of result.warnings) reading.warnings.push(one)
  if (result.kind === 'prose') return result.end
  // A carrier may begin with words before its opening token.
  const first = Math.min(start, result.from ?? start)
  for (const raw of result.calls) addCall(reading, finishNative(raw, reading.tools, reading.warnings))
  return result.calls.length > 0 ? removeCall(reading, first, result.end) : removeQuiet(reading, first, result.end)
}

/** A thinking closer whose opener was in the prompt: everything up to it was thought, and no call before it counts. */
export function endThinking(reading: Reading, at: number, end: number): number {
  const recent = reading.thoughts.splice(reading.settledThoughts)
  const keep = (inner: Span, whole: Span): void => {
    if (whole[1] > whole[0]) reading.thoughts.push({ inner, whole })
  }
  let from = reading.replyAt
  for (const thought of recent) {
    keep([from, thought.whole[0]], [from, thought.whole[0]])
    keep(thought.inner, thought.whole)
    from = thought.whole[1]
  }
  keep([from, at], [from, end])
  reading.settledThoughts = reading.thoughts.length
  reading.found = []
  reading.removed = [[0, end]]
  reading.warnings = [warning('thinking_orphan', 'Thinking ended without having begun; everything before its end counts as thinking.', at)]
  reading.doubtUntil = 0
  reading.openFences = []
  reading.onlyFences = undefined
  reading.replyAt = end
  reading.lineStart = skipBlanksInLine(reading, end)
  reading.lineAt = end
  return end
}

/** Whether the reply is nothing but fenced blocks, blanks and thinking. Asked often, answered once. */
export function isOnlyFences(reading: Reading): boolean {
  reading.onlyFences ??= walkFences(reading)
  return reading.onlyFences
}

function walkFences(reading: Reading): boolean {
  const { text, end, fences } = reading
  let lineAt = reading.replyAt
  let at = lineAt
  while (at < end) {
    if (text[at] === '\n') lineAt = at + 1
    if (/\s/.test(text[at] ?? '')) {
      at++
      continue
    }
    const fence = fences.fenceAt(lineAt, at)
    const next = typeof fence === 'object' ? fence.end : (thinkingAt(text, at, end)?.end ?? markEnd(text, at, { native: false }))
    if (next === undefined) return false
    at = next
    lineAt = at
  }
  return true
}

/** Whether nothing but blanks and thinking stands before a place. */
export function beginsReply(reading: Reading, at: number): boolean {
  if (reading.found.length > 0) return false
  let from = reading.replyAt
  for (const [start, stop] of reading.removed) {
    if (reading.text.slice(from, Math.max(from, start)).trim() !== '') return false
    from = Math.max(from, stop)
  }
  return reading.text.slice(from, at).trim() === ''
}

/** Whether nothing but blanks and thinking stands behind a place. */
export function endsReply(reading: Reading, from: number): boolean {
  const { text, end } = reading
  let at = skipBlanks(text, from, end)
  while (at < end) {
    const fence = reading.openFences.find(([start]) => start <= at && at < lineEndOf(text, start, end))
    const next = fence?.[1] ?? thinkingAt(text, at, end)?.end ?? markEnd(text, at, { native: false })
    if (next === undefined) return false
    at = skipBlanks(text, next, end)
  }
  return true
}

function lineEndOf(text: string, at: number, end: number): number {
  const found = text.indexOf('\n', at)
  return found < 0 ? end : Math.min(found, end)
}
