// What JSON values say about calls: the names that model providers give to the same three members.
import { isPlainObject } from '../../kernel/json.ts'
import { isBlankOrBreak, skipBlanks } from '../blanks.ts'
import { parseRepairedJson, scanJson } from './json.ts'
import { MOST_HEAD } from './limits.ts'
import { behindCloser } from './quoted.ts'
import { type NotationContext, type NotationResult, type RawCall, unparsed, valueArguments, warning } from './raw-call.ts'
import { matchAt } from './sticky.ts'
import type { Source, Warning } from './types.ts'

const NAME_KEYS = ['name', 'tool_name', 'function']
const ARGUMENT_KEYS = ['arguments', 'parameters', 'args', 'input']
const ID_KEYS = ['id', 'tool_call_id', 'call_id']

interface JsonCall {
  name: string
  arguments: Record<string, unknown>
  id?: string
  warnings: Omit<Warning, 'at'>[]
  twice?: string
}

/** One object as a call; undefined where it is none. */
export function asJsonCall(value: unknown): JsonCall | undefined {
  if (!isPlainObject(value)) return undefined
  const inner = [value['function'], value['function_call']].find(isPlainObject) ?? value
  const name = NAME_KEYS.map(key => inner[key]).find(member => typeof member === 'string' && member !== '')
  const key = ARGUMENT_KEYS.find(member => Object.hasOwn(inner, member))
  if (typeof name !== 'string' || key === undefined || isDefinition(inner)) return undefined
  const read = argumentsOf(inner[key])
  const id = ID_KEYS.map(member => value[member] ?? inner[member]).find(member => typeof member === 'string' || typeof member === 'number')
  return read && { name, ...read, ...(id !== undefined && { id: String(id) }) }
}

/** A model that shows how a tool is defined does not call it. */
function isDefinition(value: Record<string, unknown>): boolean {
  const { description, parameters } = value
  return typeof description === 'string' && isPlainObject(parameters) && isPlainObject(parameters['properties'])
}

function argumentsOf(value: unknown): Omit<JsonCall, 'name' | 'id'> | undefined {
  if (isPlainObject(value)) return { arguments: value, warnings: [] }
  const parsed = typeof value === 'string' ? parseRepairedJson(value) : undefined
  if (!parsed || !isPlainObject(parsed.value)) return undefined
  return { arguments: parsed.value, warnings: jsonWarnings(parsed), ...twiceOf(parsed) }
}

const twiceOf = ({ twice }: { twice?: string }): { twice?: string } => (twice === undefined ? {} : { twice })

function jsonWarnings(parsed: { repaired: boolean; inexact: boolean }): Omit<Warning, 'at'>[] {
  return [
    ...(parsed.repaired ? [{ code: 'json_repaired' as const, message: 'The JSON of a call was not valid and was mended.' }] : []),
    ...(parsed.inexact ? [{ code: 'type' as const, message: 'An integer is too great to be kept as a number and stays text.' }] : []),
  ]
}

/** The objects in a value that should each be a call. */
export function jsonCallObjects(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(jsonCallObjects)
  if (isPlainObject(value) && Array.isArray(value['tool_calls'])) return value['tool_calls']
  return [value]
}

/** `{"get": {…}}`: the name is the key. */
function keyedCalls(value: unknown): (JsonCall | undefined)[] {
  if (Array.isArray(value)) return value.flatMap(keyedCalls)
  if (!isPlainObject(value)) return [undefined]
  return Object.entries(value).map(([name, member]) => (isPlainObject(member) ? { name, arguments: member, warnings: [] } : undefined))
}

interface JsonNotation {
  source: Source
  /** Where the whole construct begins. */
  start: number
  closers: readonly string[]
  keyed?: boolean
}

/** Reads the values that follow an opener: one or several, until something else comes. */
export function readJsonCalls(context: NotationContext, at: number, notation: JsonNotation): NotationResult | undefined {
  const { text, end } = context
  const found: RawCall[] = []
  const warnings: Warning[] = []
  let bad = 0
  let next = at
  let last = at
  while (next < end && (text[next] === '{' || text[next] === '[')) {
    const value = readJsonValue(context, next, notation.closers)
    if (value.kind === 'none') return unreadable(context, nameIn(text, at, value.end), notation, value.end)
    warnings.push(...value.warnings)
    const objects = notation.keyed ? keyedCalls(value.value) : jsonCallObjects(value.value).map(asJsonCall)
    const places = placesOf(text, next, value, objects.length)
    for (const [index, call] of objects.entries()) {
      const place = places[index]
      if (!call || !place) {
        bad++
        continue
      }
      warnings.push(...call.warnings.map(one => ({ ...one, at: next })))
      found.push(rawCall({ ...twiceOf(value), ...call }, notation.source, place.span, place.cut))
    }
    last = value.end
    next = skipSeparators(text, last, end)
  }
  const close = notation.closers.find(closer => text.startsWith(closer, skipBlanks(text, last, end)))
  const constructEnd = close === undefined ? behindRest(context, at, last, notation) : skipBlanks(text, last, end) + close.length
  if (found.length === 0) return unparsed(nameIn(text, at, constructEnd), notation.start, constructEnd)
  if (bad > 0) warnings.push(warning('unparsed_call', `${bad} of the calls had no name or no arguments and were not made.`, at))
  const [only] = found
  if (found.length === 1 && only) only.span = [notation.start, constructEnd]
  return { kind: 'calls', from: notation.start, end: constructEnd, calls: found, warnings }
}

/** Whatever stands between the values and the closer belongs to the construct and is not read; without a closer of its own the
 *  construct ends with its last value. */
function behindRest(context: NotationContext, at: number, last: number, { start, closers }: JsonNotation): number {
  const closed = behindCloser(context, last, closers)
  if (closed === undefined) return last
  context.ahead.pay(closed - last)
  const opener = context.text.slice(start, at).trim()
  return opener !== '' && context.text.slice(last, closed).includes(opener) ? last : closed
}

export function rawCall(call: JsonCall, source: Source, span: [number, number], cut: boolean): RawCall {
  return {
    name: call.name,
    source,
    span,
    arguments: valueArguments(call.arguments),
    ...(call.id !== undefined && { id: call.id }),
    ...(cut && { cut }),
    ...twiceOf(call),
  }
}

interface Place {
  span: [number, number]
  /** The text ended inside it. */
  cut: boolean
}

/** Where each of the calls in a value stands: the members of an array on their own, so that they keep their order and only the
 *  last can be cut. */
export function placesOf(text: string, at: number, value: { kind: 'whole' | 'cut'; end: number }, count: number): Place[] {
  const places: Place[] = []
  let next = text[at] === '[' ? skipSeparators(text, at + 1, value.end) : value.end
  while (next < value.end && text[next] === '{') {
    const extent = scanJson(text, next, value.end)
    places.push({ span: [next, extent.end], cut: extent.kind !== 'whole' })
    next = skipSeparators(text, extent.end, value.end)
  }
  if (places.length === count) return places
  const cut = value.kind === 'cut'
  return Array.from({ length: count }, (_, index) => ({ span: [Math.min(at + index, value.end - 1), value.end], cut }))
}

/** `none`: no value could be made of it; `end` is how far the attempt belongs together. */
export type JsonValue =
  | { kind: 'whole' | 'cut'; value: unknown; end: number; warnings: Warning[]; twice?: string }
  | { kind: 'none'; end: number }

/** The value that begins at `at`. Where the text ends inside it, it reaches to that end: a closer in there may be part of a
 *  string. Where it is broken, the first closer outside its strings bounds it. */
export function readJsonValue(context: NotationContext, at: number, closers: readonly string[]): JsonValue {
  const { text, ahead, end } = context
  const extent = scanJson(text, at, end)
  if (extent.kind === 'whole') {
    const parsed = parseRepairedJson(text.slice(at, extent.end))
    const warnings = parsed ? jsonWarnings(parsed).map(one => ({ ...one, at })) : []
    if (parsed) return { kind: 'whole', value: parsed.value, end: extent.end, warnings, ...twiceOf(parsed) }
  }
  ahead.pay(extent.end - at)
  if (extent.kind === 'cut') {
    const parsed = parseRepairedJson(text.slice(at, end) + extent.missing)
    return parsed ? { kind: 'cut', value: parsed.value, end, warnings: [] } : { kind: 'none', end }
  }
  const bound = extent.kind === 'broken' ? behindCloser(context, extent.end, closers) : undefined
  return { kind: 'none', end: bound ?? extent.end }
}

/** Nobody knows where a call ends whose arguments are broken. What could be one of its strings must not become a call, so it
 *  reaches to its closer, and without one to the end of the text. */
export function unreadable(
  context: NotationContext,
  name: string | undefined,
  { start, closers }: { start: number; closers: readonly string[] },
  from: number,
): NotationResult {
  if (name === undefined) return unparsed(name, start, from)
  const isClosed = closers.some(closer => context.text.endsWith(closer, from))
  return unparsed(name, start, isClosed ? from : (behindCloser(context, from, closers) ?? context.end))
}

const TAG = /\s*<([A-Za-z_][\w.-]*)/y

/** An opening token with something unknown behind it was meant as a call: up to its closer nothing is read. Tags of tools are read
 *  where they stand, and so is the next call where this one has no closer of its own. */
export function unreadHead(context: NotationContext, opened: RegExpExecArray, closers: readonly string[]): NotationResult | undefined {
  const from = opened.index + opened[0].length
  if (context.tools.byName.has(matchAt(TAG, context.text, from)?.[1] ?? '')) return undefined
  const closed = behindCloser(context, from, closers)
  if (closed === undefined) return undefined
  context.ahead.pay(closed - from)
  return context.text.slice(from, closed).includes(opened[0]) ? undefined : unparsed(undefined, opened.index, closed)
}

/** The tool that an unreadable call most likely meant, for the warning. */
export function nameIn(text: string, at: number, end: number): string | undefined {
  return /["'](?:name|tool_name|function)["']\s*:\s*["']([\w./:-]{1,64})["']/.exec(text.slice(at, Math.min(end, at + MOST_HEAD)))?.[1]
}

function skipSeparators(text: string, at: number, end: number): number {
  let i = at
  while (i < end && (isBlankOrBreak(text.charCodeAt(i)) || text[i] === ',' || text[i] === ';')) i++
  return i
}
