import { skipBlanks } from '../../blanks.ts'
import { unreadable } from '../json-calls.ts'
import { type PythonCall, PythonReader } from '../python.ts'
import { type NotationContext, type NotationResult, type RawCall, warning } from '../raw-call.ts'
import { matchAt, skipAny } from '../sticky.ts'
import type { Source, Warning } from '../types.ts'

interface PythonNotation {
  source: Source
  start: number
  closers: readonly string[]
  /** Calls one after the other instead of a list. */
  lines: boolean
}

const LIST = /\[\s*([A-Za-z_][\w.-]*)\s?\(/y
const CALL = /(?:print\(\s*)?([A-Za-z_][\w.-]*)\s?\(/y

/** Python calls behind an opener. Where there is anything but literals the text stays prose, unread as far as it belongs together;
 *  undefined where no call begins. */
export function readPythonCalls(context: NotationContext, at: number, notation: PythonNotation): NotationResult | undefined {
  const { text, end } = context
  const listed = matchAt(LIST, text, at)
  const name = (listed ?? (notation.lines ? matchAt(CALL, text, at) : undefined))?.[1]
  if (name === undefined) return undefined
  const reader = new PythonReader(text, at, end)
  const found = listed ? reader.callList() : readLines(reader, text, end)
  if (!found) return unreadable(context, name, notation, reader.at)
  const behind = skipBlanks(text, reader.at, end)
  const closed = skipAny(text, behind, notation.closers)
  const constructEnd = closed > behind ? closed : reader.at
  return pythonResult(found, notation.source, [notation.start, constructEnd])
}

export function pythonResult(found: PythonCall[], source: Source, span: [number, number]): NotationResult {
  const warnings: Warning[] = found
    .filter(call => call.inexact)
    .map(call => warning('type', `An integer in ${call.name} is too great to be kept as a number and stays text.`, call.span[0]))
  const calls = found.map(
    (call): RawCall => ({
      name: call.name,
      source,
      span: found.length === 1 ? span : call.span,
      arguments: call.named.map(({ name, value }) => ({ name, kind: 'value', value })),
      positional: call.positional,
    }),
  )
  return { kind: 'calls', end: span[1], calls, warnings }
}

/** `f(…)` on its own, `print(f(…))`, several after each other; undefined unless that is all there is up to a `<` or the end. */
export function readLines(reader: PythonReader, text: string, end: number): PythonCall[] | undefined {
  const found: PythonCall[] = []
  while (true) {
    reader.blanks()
    reader.take(';')
    reader.blanks()
    if (reader.at >= end || text[reader.at] === '<') return found.length > 0 ? found : undefined
    const call = printed(reader) ?? reader.call()
    if (!call) return undefined
    found.push(call)
  }
}

function printed(reader: PythonReader): PythonCall | undefined {
  const start = reader.at
  if (reader.take('print(')) {
    reader.blanks()
    const call = reader.call()
    reader.blanks()
    if (call && reader.take(')')) return call
  }
  reader.at = start
  return undefined
}
