// What a place in a reply that is still arriving can be shown as. Where more text could make a call of it, the answer is to
// wait; where it may be one already, the answer is to stop showing.
import { OBJECT, PYTHON_LIST } from './native/bare.ts'
import { markEnd } from './native/marks.ts'
import { anyOpener } from './native/notations.ts'
import { matchAt } from './sticky.ts'
import { isThinkingName, orphanCloserAt, thinkingOpenerAt } from './thinking.ts'
import type { Tools } from './tools.ts'
import type { Dialect } from './types.ts'

export interface LiveContext {
  dialect: Dialect
  tools: Tools
}

/** `plain`: so many characters are prose. `drop`: they never show. `thinking`: it begins behind them and ends at the pattern. */
export type Decision =
  | { kind: 'wait' | 'stop' }
  | { kind: 'pending'; name: string }
  | { kind: 'plain' | 'drop'; length: number }
  | { kind: 'thinking'; length: number; closer: RegExp }

const WAIT: Decision = { kind: 'wait' }
const STOP: Decision = { kind: 'stop' }
const ONE: Decision = { kind: 'plain', length: 1 }
/** No opening token is longer. */
const LONGEST = 256
const WORD = /<\/?([\w.:-]{0,64})/y
const OUTER = /^<[\w.:｜|-]{1,64}>\s*(?:<[\w.:｜|-]{0,64})?$/
const BRACKETED = ['[think]', '[/think]', '[tool_calls]']
const BARE = /^(?:\[\s*)?\{\s*["']?[a-z_]|^\[\s*[A-Za-z_][\w.-]*\s?\(/
const BARE_SO_FAR = /^\[?\s*\{?\s*["']?$|^\[\s*[A-Za-z_][\w.-]*\s?$/
/** Keys are short, and so are names. */
const UNCOUNTED_SO_FAR = /^(?:\[\s*)?\{\s*["']?[a-z_]{0,16}["']?\s*$|^\[\s*(?:[A-Za-z_][\w.-]{0,64}\s?)?$/
const LINE_STARTS = ['functools[', 'Action:']

/** Decides about the first character of `held`, which can open something. */
export function decide(held: string, isLineStart: boolean, context: LiveContext): Decision {
  const thinking = thinkingOpenerAt(held, 0)
  if (thinking) return { kind: 'thinking', ...thinking }
  const orphan = orphanCloserAt(held, 0)
  if (orphan !== undefined) return { kind: 'drop', length: orphan }
  switch (held[0]) {
    case '<':
      return decideLess(held, context)
    case '◁':
      return held.length < 8 ? WAIT : ONE
    case '[':
      return decideBracket(held, isLineStart, context)
    case '{':
      return isLineStart || !readsNative(context) ? decideElsewhere(held, isLineStart, context) : decideUncounted(held)
    default:
      return decideElsewhere(held, isLineStart, context)
  }
}

function decideElsewhere(held: string, isLineStart: boolean, context: LiveContext): Decision {
  return isLineStart && readsNative(context) ? decideLine(held, context) : ONE
}

/** Amid a line it is no call, but nothing inside is read either, and how far that reaches is only known at the end. */
function decideUncounted(held: string): Decision {
  if (matchAt(OBJECT, held, 0) || matchAt(PYTHON_LIST, held, 0)) return STOP
  return UNCOUNTED_SO_FAR.test(held) ? WAIT : ONE
}

const readsNative = ({ dialect }: LiveContext): boolean => dialect === 'auto' || dialect === 'native'
const readsTags = ({ dialect }: LiveContext): boolean => dialect === 'auto' || dialect === 'tags'

function decideLess(held: string, context: LiveContext): Decision {
  if (/^<[|｜]/.test(held) || held.length === 1) return decideToken(held, context)
  const word = matchAt(WORD, held, 0)
  const name = word?.[1] ?? ''
  const behind = word?.[0].length ?? 1
  if (behind >= held.length && behind < LONGEST) return WAIT
  const next = held[behind] ?? ''
  if (isThinkingName(name) && /\s/.test(next) && /^\s*$/.test(held.slice(behind))) return WAIT
  if (readsTags(context) && (context.tools.byName.has(name) || context.tools.nicknames.has(name))) {
    if (held[1] === '/') return next === '>' ? { kind: 'drop', length: behind + 1 } : ONE
    if (/[\s/>]/.test(next)) return { kind: 'pending', name }
  }
  return decideToken(held, context)
}

function decideToken(held: string, context: LiveContext): Decision {
  const undecided = held.length < LONGEST
  if (/^<[|｜]?$/.test(held) || (/^<[|｜]/.test(held) && undecided)) return WAIT
  if (context.dialect === 'none') return ONE
  if (readsNative(context)) {
    if (/^<[\w:]*(?:tool_call|function|invoke|tool_use)/.test(held)) return STOP
    if (undecided && OUTER.test(held)) return WAIT
    anyOpener.lastIndex = 0
    if (anyOpener.test(held)) return STOP
  }
  const mark = markEnd(held, 0, { native: readsNative(context) })
  return mark === undefined ? ONE : { kind: 'drop', length: mark }
}

function decideBracket(held: string, isLineStart: boolean, context: LiveContext): Decision {
  const start = held.slice(0, 12).toLowerCase()
  if (BRACKETED.some(token => token !== start && token.startsWith(start))) return WAIT
  if (!readsNative(context)) return ONE
  if (held.startsWith('[TOOL_CALLS]')) return STOP
  return isLineStart ? decideLine(held, context) : decideUncounted(held)
}

function decideLine(held: string, { tools }: LiveContext): Decision {
  if (held[0] === '{' || held[0] === '[') {
    if (BARE.test(held)) return STOP
    return BARE_SO_FAR.test(held) ? WAIT : ONE
  }
  if (LINE_STARTS.some(start => held.startsWith(start))) return STOP
  if (LINE_STARTS.some(start => start.startsWith(held))) return WAIT
  const name = /^[\w.-]*/.exec(held)?.[0] ?? ''
  const rest = held.slice(name.length)
  if (rest === '') return [...tools.byName.keys()].some(known => known.startsWith(name)) ? WAIT : ONE
  if (!tools.byName.has(name) || !/^[ \t\r]*(?:\n|$)/.test(rest)) return ONE
  if (/^\s*$/.test(rest)) return WAIT
  return /^\s*\{/.test(rest) ? STOP : ONE
}
