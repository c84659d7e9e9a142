import { isPlainObject } from '../../../kernel/json.ts'
import { skipBlanks } from '../../blanks.ts'
import { type JsonValue, readJsonValue, unreadable } from '../json-calls.ts'
import { type NotationContext, type NotationResult, type RawCall, unparsed, valueArguments } from '../raw-call.ts'
import { skipAny } from '../sticky.ts'
import type { Source } from '../types.ts'

interface ObjectNotation {
  name: string
  source: Source
  /** Where the construct begins. */
  start: number
  /** What may stand behind the arguments, in order; each may be missing. */
  closers: readonly (readonly string[])[]
  id?: string
}

/** A call whose name is known and whose arguments are the JSON object at `at`. Anything else there is not read at all. */
export function readArgumentsObject(context: NotationContext, at: number, notation: ObjectNotation): NotationResult {
  const { text, end } = context
  if (text[at] !== '{' || at >= end)
    return unreadable(context, notation.name, { start: notation.start, closers: notation.closers.at(-1) ?? [] }, at)
  const value: JsonValue = readJsonValue(context, at, notation.closers.flat())
  if (value.kind === 'none')
    return unreadable(context, notation.name, { start: notation.start, closers: notation.closers.at(-1) ?? [] }, value.end)
  if (!isPlainObject(value.value)) return unparsed(notation.name, notation.start, value.end)
  let constructEnd = value.end
  for (const step of notation.closers) {
    const behind = skipBlanks(text, constructEnd, end)
    const closed = skipAny(text, behind, step)
    if (closed > behind) constructEnd = closed
  }
  const call: RawCall = {
    name: notation.name,
    source: notation.source,
    span: [notation.start, constructEnd],
    arguments: valueArguments(value.value),
    ...(notation.id !== undefined && { id: notation.id }),
    ...(value.kind === 'cut' && { cut: true }),
    ...(value.twice !== undefined && { twice: value.twice }),
  }
  return { kind: 'calls', end: constructEnd, calls: [call], warnings: value.warnings }
}
