import type { Lookahead } from './budget.ts'
import type { Tools } from './tools.ts'
import type { Source, Warning } from './types.ts'

/** An argument as a notation delivers it. `text` gets its type from the tool's schema, `json` is text that was marked as JSON. */
export type RawArgument =
  | { name: string; kind: 'value'; value: unknown }
  | { name: string; kind: 'text'; text: string }
  | { name: string; kind: 'json'; text: string }

/** A call as a model provider's notation gives it, before its name and arguments are looked at. */
export interface RawCall {
  name: string
  source: Source
  span: [number, number]
  arguments: RawArgument[]
  /** Values without a name, in order. */
  positional?: unknown[]
  id?: string
  /** The end of the text cut its arguments. */
  cut?: boolean
  /** An argument that was given twice, and of which only one value arrived here. */
  twice?: string
}

export interface NotationContext {
  text: string
  end: number
  tools: Tools
  ahead: Lookahead
}

/** `valuesAt`: where the first value without quotes begins; in a call that was not finished everything behind it may be an argument.
 *  `calls`: the text up to `end` is a construct and leaves the prose. `prose`: it looks like a call but is none; it stays, and
 *  nothing inside it is read, so that what was meant as an argument never becomes a call. */
export type NotationResult =
  | { kind: 'calls'; end: number; calls: RawCall[]; warnings: Warning[]; from?: number; valuesAt?: number }
  | { kind: 'prose'; end: number; warnings: Warning[]; valuesAt?: number }

/** One notation. `opener` is sticky; `read` gets its match and answers undefined where this is not its notation after all. */
export interface Notation {
  source: Source
  opener: RegExp
  read(context: NotationContext, opened: RegExpExecArray): NotationResult | undefined
}

export function warning(code: Warning['code'], message: string, at: number): Warning {
  return { code, message, at }
}

export function unparsed(name: string | undefined, from: number, end: number): NotationResult {
  const message = `A call${name ? ` of ${name}` : ''} could not be read and was not made. Send it again in valid form.`
  return { kind: 'prose', end, warnings: [warning('unparsed_call', message, from)] }
}

export function calls(found: RawCall[], end: number, warnings: Warning[] = []): NotationResult {
  return { kind: 'calls', end, calls: found, warnings }
}

/** The argument list of a JSON object. */
export function valueArguments(value: Record<string, unknown>): RawArgument[] {
  return Object.entries(value).map(([name, member]) => ({ name, kind: 'value', value: member }))
}
