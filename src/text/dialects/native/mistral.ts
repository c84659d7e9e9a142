import { skipBlanks } from '../../blanks.ts'
import { readJsonCalls, unreadable } from '../json-calls.ts'
import type { Notation } from '../raw-call.ts'
import { matchAt } from '../sticky.ts'
import { readArgumentsObject } from './arguments-object.ts'

const NAMED = /([\w./:-]{1,128})\s*(?:\[CALL_ID\]\s*([^\s[\]{]{1,128})\s*)?(?:\[ARGS\]\s*)?(?=\{)/y
/** A call for certain, in whatever way its arguments are written. */
const UNREADABLE = /([\w./:-]{1,128})\s*(?:\[CALL_ID\]|\[ARGS\]|[("'=:[])/y
const CLOSERS = ['[/TOOL_CALLS]']

export const mistral: Notation = {
  source: 'mistral',
  opener: /\[TOOL_CALLS\]/y,
  read(context, opened) {
    const { text, end } = context
    const start = opened.index
    const at = skipBlanks(text, start + opened[0].length, end)
    if (text[at] === '[' || text[at] === '{') return readJsonCalls(context, at, { source: 'mistral', start, closers: CLOSERS })
    const named = matchAt(NAMED, text, at)
    if (!named) {
      const name = matchAt(UNREADABLE, text, at)?.[1]
      return name === undefined ? undefined : unreadable(context, name, { start, closers: CLOSERS }, at)
    }
    const [head, name = '', id] = named
    return readArgumentsObject(context, at + head.length, {
      name,
      source: 'mistral',
      start,
      closers: [],
      ...(id !== undefined && { id }),
    })
  },
}
