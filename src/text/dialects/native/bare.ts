// Notations without a marker: JSON objects, a name above its arguments, a Python list. They count only as lines of their own,
// whole, and with names that are known, because prose is full of things that look like them.
import { isPlainObject } from '../../../kernel/json.ts'
import { skipBlanks, skipBlanksOnLine } from '../../blanks.ts'
import { scanJson } from '../json.ts'
import { asJsonCall, jsonCallObjects, nameIn, placesOf, rawCall, readJsonCalls, readJsonValue } from '../json-calls.ts'
import { behindBrackets } from '../quoted.ts'
import { calls, type NotationContext, type NotationResult, type RawCall, unparsed, valueArguments } from '../raw-call.ts'
import { matchAt } from '../sticky.ts'
import { isKnownName, resolveName } from '../tools.ts'
import type { Warning } from '../types.ts'
import { readPythonCalls } from './python-calls.ts'

interface LineContext extends NotationContext {
  /** Nothing but blanks and thinking stands before the line. */
  beginsReply: () => boolean
  /** Nothing but blanks and thinking stands behind this position. */
  endsReply: (end: number) => boolean
}

/** A notation that begins a line; `at` is the line's first character that is no blank. */
type LineNotation = (context: LineContext, at: number) => NotationResult | undefined

const KEYS = 'name|tool_name|function|arguments|parameters|args|input|id|tool_call_id|call_id|type|index|function_call|tool_calls'
export const OBJECT = new RegExp(`(?:\\[\\s*)?\\{\\s*["']?(?:${KEYS})["']?\\s*:`, 'y')
const NAME_LINE = /([A-Za-z_][\w.-]{0,127})[ \t\r]*\n\s*(?=\{)/y
export const PYTHON_LIST = /\[\s*([A-Za-z_][\w.-]*)\s?\(/y
const FUNCTOOLS = /functools(?=\[)/y
const ACTION = /Action:\s*```json\s*(?=[{[])/y

export const lineNotations: LineNotation[] = [readFunctools, readAction, readBareJson, readNameLine, readBarePython]

function readFunctools(context: LineContext, at: number): NotationResult | undefined {
  const opened = matchAt(FUNCTOOLS, context.text, at)
  return opened ? readJsonCalls(context, at + opened[0].length, { source: 'json', start: at, closers: [] }) : undefined
}

function readAction(context: LineContext, at: number): NotationResult | undefined {
  const opened = matchAt(ACTION, context.text, at)
  return opened ? readJsonCalls(context, at + opened[0].length, { source: 'json', start: at, closers: ['```'] }) : undefined
}

/** Objects or arrays of them, after each other or with `;` between. */
function readBareJson(context: LineContext, at: number): NotationResult | undefined {
  const { text, end, ahead } = context
  if (ahead.isSpent || !matchAt(OBJECT, text, at)) return undefined
  if (!mayCount(context)) return hidden(context, at, at)
  const found: RawCall[] = []
  const warnings: Warning[] = []
  let next = at
  let last = at
  let joined = true
  while (next < end && (text[next] === '{' || text[next] === '[')) {
    const one = bareValue(context, next)
    if (!one) {
      if (joined) return hidden(context, at, next)
      break
    }
    for (const call of one.calls) found.push(call)
    for (const warned of one.warnings) warnings.push(warned)
    last = one.end
    const behind = skipBlanksOnLine(text, last, end)
    joined = text[behind] === ';' && behind < end
    if (!joined && behind < end && text[behind] !== '\n') return hidden(context, at, at)
    next = skipBlanks(text, joined ? behind + 1 : behind, end)
  }
  const [only] = found
  if (!only || !(context.tools.given || context.endsReply(last))) return hidden(context, at, at)
  if (found.length === 1) only.span = [at, last]
  return calls(found, last, warnings)
}

function bareValue(context: LineContext, at: number): { calls: RawCall[]; end: number; warnings: Warning[] } | undefined {
  const value = readJsonValue(context, at, [])
  if (value.kind !== 'whole') return undefined
  const objects = jsonCallObjects(value.value).map(asJsonCall)
  const named = objects.filter(call => call !== undefined && isKnownName(call.name, context.tools))
  if (objects.length === 0 || named.length < objects.length) return undefined
  const places = placesOf(context.text, at, value, named.length)
  const twice = value.twice === undefined ? {} : { twice: value.twice }
  const warnings = named.flatMap(call => call?.warnings ?? []).map(one => ({ ...one, at }))
  return {
    calls: named.flatMap((call, index) =>
      call ? [rawCall({ ...twice, ...call }, 'openai', places[index]?.span ?? [at, value.end], false)] : [],
    ),
    end: value.end,
    warnings: [...value.warnings, ...warnings],
  }
}

/** Amid a line, or with names that are no tools, these do not count; the strings in them are arguments all the same. */
export function readUncounted(context: NotationContext, at: number): NotationResult | undefined {
  if (context.ahead.isSpent) return undefined
  return matchAt(OBJECT, context.text, at) ? hidden(context, at, at) : hiddenList(context, at)
}

/** It does not count as a call, but it looks like one: what its strings hold must not become calls instead. */
function hidden(context: NotationContext, start: number, failedAt: number): NotationResult | undefined {
  const { text, end, tools, ahead } = context
  const extent = scanJson(text, failedAt, end)
  ahead.pay(extent.end - failedAt)
  const name = nameIn(text, start, extent.end)
  if (name === undefined || extent.kind === 'broken') return undefined
  if (extent.kind === 'whole') return { kind: 'prose', end: extent.end, warnings: [] }
  return tools.byName.has(name) ? unparsed(name, start, extent.end) : undefined
}

/** The same for a Python list. One that names no tool needs its end, and no blank behind the name: `[see (this) and …]` is prose. */
function hiddenList({ text, end, tools, ahead }: NotationContext, at: number): NotationResult | undefined {
  const [opened = '', name = ''] = matchAt(PYTHON_LIST, text, at) ?? []
  const isTool = resolveName(name, tools).tool !== undefined
  if (name === '' || (!isTool && !opened.endsWith(`${name}(`))) return undefined
  const behind = behindBrackets(text, at, end)
  ahead.pay((behind ?? end) - at)
  if (behind !== undefined) return { kind: 'prose', end: behind, warnings: [] }
  return isTool ? unparsed(name, at, end) : undefined
}

/** A line with a tool's name, then its arguments. Without given tools only the default ones: any word could stand so. */
function readNameLine(context: LineContext, at: number): NotationResult | undefined {
  const { text, end, tools } = context
  const opened = matchAt(NAME_LINE, text, at)
  const name = opened?.[1] ?? ''
  if (!opened || !tools.byName.has(name)) return undefined
  const value = readJsonValue(context, at + opened[0].length, [])
  if (value.kind !== 'whole') return unparsed(name, at, value.end)
  const counts = mayCount(context) && endsLine(text, value.end, end) && (tools.given || context.endsReply(value.end))
  if (!counts || !isPlainObject(value.value)) return { kind: 'prose', end: value.end, warnings: [] }
  const call: RawCall = { name, source: 'openai', span: [at, value.end], arguments: valueArguments(value.value) }
  return calls([{ ...call, ...(value.twice !== undefined && { twice: value.twice }) }], value.end, value.warnings)
}

function readBarePython(context: LineContext, at: number): NotationResult | undefined {
  const { text, end, tools } = context
  if (!matchAt(PYTHON_LIST, text, at)) return undefined
  const read = mayCount(context) ? readPythonCalls(context, at, { source: 'pythonic', start: at, closers: [], lines: false }) : undefined
  const isWhole = read?.kind === 'calls' && endsLine(text, read.end, end) && read.calls.every(call => isKnownName(call.name, tools))
  return isWhole && (tools.given || context.endsReply(read.end)) ? read : undefined
}

/** Without given tools only a whole reply counts; what stands before is known already. */
function mayCount({ tools, beginsReply }: LineContext): boolean {
  return tools.given || beginsReply()
}

function endsLine(text: string, at: number, end: number): boolean {
  const next = skipBlanksOnLine(text, at, end)
  return next >= end || text[next] === '\n'
}
