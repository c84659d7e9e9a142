import { readAttributes } from '../../attributes.ts'
import { skipBlanks } from '../../blanks.ts'
import { elementCall } from '../element-calls.ts'
import { type ElementGrammar, type OpenedElement, readElements } from '../elements.ts'
import { type Notation, unparsed } from '../raw-call.ts'
import { matchAt } from '../sticky.ts'
import { readArgumentsObject } from './arguments-object.ts'

const NUMBERED = /:\d+$/
const HEAD = /\s*([\w./:-]{1,128})\s*(?:<\|tool_call_argument_begin\|>|(?=\{))/y

export const kimi: Notation = {
  source: 'kimi',
  opener: /<\|tool_call_begin\|>/y,
  read(context, opened) {
    const behindOpener = opened.index + opened[0].length
    const head = matchAt(HEAD, context.text, behindOpener)
    if (!head) return undefined
    const id = head[1] ?? ''
    const at = skipBlanks(context.text, behindOpener + head[0].length, context.end)
    const call = readArgumentsObject(context, at, { name: id, id, source: 'kimi', start: opened.index, closers: [['<|tool_call_end|>']] })
    // Every id ends in its number. One that does not is damaged, and where any name is a tool nothing else would show it.
    return !context.tools.given && !NUMBERED.test(id) ? unparsed(id, opened.index, call.end) : call
  },
}

const ARGUMENT = /<\|open\|>argument\s+([^<]{1,400})<\|sep\|>/y
const CALL_END = '<|close|>call<|sep|>'

/** The later notation, with an element for each argument. */
export const kimiElements: Notation = {
  source: 'kimi',
  opener: /<\|open\|>call\s+([^<]{1,400})<\|sep\|>/y,
  read(context, opened) {
    const name = attribute(opened[1] ?? '', 'tool')
    if (!name) return undefined
    const grammar: ElementGrammar = {
      open: at => argumentAt(context.text, at),
      close: '<|close|>argument<|sep|>',
      callEnd: /<\|close\|>call<\|sep\|>/y,
      exact: true,
    }
    const elements = readElements(context, opened.index + opened[0].length, grammar)
    return elementCall(context, elements, { name, source: 'kimi', start: opened.index, endToken: CALL_END })
  },
}

function argumentAt(text: string, at: number): OpenedElement | undefined {
  const found = matchAt(ARGUMENT, text, at)
  const key = attribute(found?.[1] ?? '', 'key')
  if (!found || key === undefined) return undefined
  const type = attribute(found[1] ?? '', 'type')
  return { name: key, valueAt: at + found[0].length, kind: type === undefined ? 'text' : type === 'string' ? 'string' : 'json' }
}

function attribute(written: string, name: string): string | undefined {
  const value = readAttributes(`${written}>`, 0).attributes.find(one => one.name === name)?.value
  return typeof value === 'string' ? value : undefined
}
