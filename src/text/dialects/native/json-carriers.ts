import { skipBlanks } from '../../blanks.ts'
import { readJsonCalls, unreadable } from '../json-calls.ts'
import { behindCloser } from '../quoted.ts'
import { calls, type Notation, type NotationContext, type NotationResult, unparsed } from '../raw-call.ts'
import { matchAt } from '../sticky.ts'
import { readPythonCalls } from './python-calls.ts'

interface Carrier {
  /** Source of a pattern; `(…)` is put for `$1` in the closer. */
  open: string
  close?: string
  keyed?: true
  /** Calls one per line, without a list around them. */
  lines?: true
}

const carriers: Carrier[] = [
  { open: '<tool_call>', close: '</tool_call>' },
  { open: '<tool_calls>', close: '</tool_calls>' },
  { open: '<function_call>', close: '</function_call>' },
  { open: '<function_calls>', close: '</function_calls>', lines: true },
  { open: '<(\\w{1,40}[_:]tool_calls?)>', close: '</$1>' },
  { open: '<\\|tool_call\\|>', close: '<|/tool_call|>' },
  { open: '<\\|tool_call_start\\|>', close: '<|tool_call_end|>' },
  { open: '<\\|function_call\\|>', close: '<|/function_call|>' },
  { open: '(?:<\\|message_sep\\|>\\s{0,8}function call|(?<=function call))<\\|role_sep\\|>' },
  { open: '<\\|python_tag\\|>' },
  { open: '<\\|START_ACTION\\|>', close: '<|END_ACTION|>' },
  { open: '<\\|tools_prefix\\|>', close: '<|tools_suffix|>', keyed: true },
]

const WORD_BEFORE = 'function call'
/** What may follow a carrier that is only the outer tag of another notation. */
const INNER = /<(?:\|?tool_call[>|]|function[=\s]|(?:[\w.-]+:)?invoke\s|[｜|]DSML[｜|]|tool_use>)/y

/** A name with something behind it that looks like arguments. */
const CALLED = /([A-Za-z_][\w./:-]{0,127})(?:\(|\s*[{=])/y

export const jsonCarriers: Notation[] = carriers.map(carrier => ({
  source: 'json',
  opener: new RegExp(carrier.open, 'y'),
  read: (context, opened) => readCarrier(carrier, context, opened),
}))

function readCarrier(carrier: Carrier, context: NotationContext, opened: RegExpExecArray): NotationResult | undefined {
  const { text, end } = context
  const behindOpener = opened.index + opened[0].length
  const start = opened[0].startsWith('<|role_sep') ? opened.index - WORD_BEFORE.length : opened.index
  const at = skipBlanks(text, behindOpener, end)
  const closers = carrier.close === undefined ? [] : [carrier.close.replace('$1', opened[1] ?? '')]
  const python = readPythonCalls(context, at, { source: 'pythonic', start, closers, lines: carrier.lines ?? false })
  if (python) return python
  if (text[at] === '{' || text[at] === '[') {
    return readJsonCalls(context, at, { source: 'json', start, closers, ...(carrier.keyed && { keyed: true }) })
  }
  return matchAt(INNER, text, at) ? calls([], behindOpener) : readUnknown(context, at, { start, closers })
}

/** What a carrier holds is a call or was meant as one, however it is written; only tags are read where they stand. */
function readUnknown(
  context: NotationContext,
  at: number,
  carrier: { start: number; closers: readonly string[] },
): NotationResult | undefined {
  const { text, end } = context
  if (text[at] === '<' || at >= end) return undefined
  const name = matchAt(CALLED, text, at)?.[1]
  if (name !== undefined) return unreadable(context, name, carrier, at)
  const closed = behindCloser(context, at, carrier.closers)
  return closed === undefined ? undefined : unparsed(undefined, carrier.start, closed)
}
