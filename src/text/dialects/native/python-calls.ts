import { skipBlanks } from '../../blanks.ts'
import { type PythonCall, PythonReader } from '../python.ts'
import { type NotationContext, type NotationResult, type RawCall, warning } from '../raw-call.ts'
import { skipAny } from '../sticky.ts'
import type { Source, Warning } from '../types.ts'

interface PythonNotation {
  source: Source
  start: number
  closers: readonly string[]
  /** Calls one after the other instead of a list. */
  lines: boolean
}

const LIST = /\[\s*[A-Za-z_]/y
const CALL = /[A-Za-z_][\w.-]*\s?\(/y

/** Python calls at a position; undefined where there is anything but literals, so that the text stays prose. */
export function readPythonCalls(context: NotationContext, at: number, notation: PythonNotation): NotationResult | undefined {
  const { text, end, ahead } = context
  LIST.lastIndex = at
  CALL.lastIndex = at
  const listed = LIST.test(text)
  if (ahead.isSpent || (!listed && !(notation.lines && CALL.test(text)))) return undefined
  const reader = new PythonReader(text, at, end)
  const found = listed ? reader.callList() : readLines(reader, text, end)
  if (!found) {
    ahead.pay(reader.at - at)
    return undefined
  }
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
