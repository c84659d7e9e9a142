// From what was written to what a tool gets: the tool's own name, typed arguments, and a status. Every correction is warned of.
import { isPlainObject } from '../../kernel/json.ts'
import { convertText, propertiesOf, schemaOf } from './convert.ts'
import { parseRepairedJson } from './json.ts'
import { MOST_TARGET } from './limits.ts'
import { type RawArgument, type RawCall, warning } from './raw-call.ts'
import { resolveName, type Tool, type Tools } from './tools.ts'
import type { Rejection, Source, Warning } from './types.ts'

/** A call in the making: everything but its id. */
export interface FoundCall {
  name: string
  arguments: Record<string, unknown>
  source: Source
  span: [number, number]
  status: 'ok' | Rejection
  message: string
  id?: string
  /** Only a call that reads may be kept where a neighbour is in doubt. */
  reads: boolean
}

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/
const TARGETS = ['path', 'to']
const FILE_SCHEME = 'file://'

/** Puts a member in even where its name is `__proto__`. */
export function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
  else object[name] = value
}

export function finishNative(raw: RawCall, tools: Tools, warnings: Warning[]): FoundCall {
  const { name, tool } = resolveName(raw.name, tools)
  const at = raw.span[0]
  const list = [...raw.arguments]
  const found: FoundCall = {
    name,
    arguments: {},
    source: raw.source,
    span: raw.span,
    status: 'ok',
    message: '',
    reads: tool?.effect === 'read',
    ...(raw.id !== undefined && { id: raw.id }),
  }
  if (raw.positional && raw.positional.length > 0) {
    const named = namePositional(raw.positional, tool)
    if (named) {
      list.unshift(...named)
      warnings.push(warning('positional', `Arguments of ${name} were given by position; name them.`, at))
    } else reject(found, 'incomplete', `The arguments of ${name} have no names. Send the call again with named arguments.`)
  }
  fillArguments(list, { found, tool, warnings })
  if (raw.twice !== undefined) refuseTwice(found, raw.twice, warnings)
  if (raw.cut) reject(found, 'incomplete', `The call of ${name} was cut off by the end of the reply. Send the whole call again.`)
  if (tools.nicknames.get(raw.name) === name) warnings.push(warning('alias', `${raw.name} was read as ${name}.`, at))
  if (tools.given && !tool) reject(found, 'unknown_tool', unknownTool(name, tools))
  checkTargets(found)
  return found
}

export function reject(found: FoundCall, status: Rejection, message: string): void {
  if (found.status !== 'ok') return
  found.status = status
  found.message = message
}

function unknownTool(name: string, tools: Tools): string {
  const names = [...tools.byName.keys()].join(', ')
  return `There is no tool ${name}. ${names ? `Send the call again with one of: ${names}.` : 'No tools are offered here.'}`
}

function namePositional(values: unknown[], tool: Tool | undefined): RawArgument[] | undefined {
  const names = Object.keys(propertiesOf(tool?.parameters))
  if (values.length > names.length) return undefined
  return values.map((value, index) => ({ name: names[index] ?? '', kind: 'value', value }))
}

function fillArguments(list: RawArgument[], filling: Filling): void {
  const { found, warnings } = filling
  const seen = new Set<string>()
  for (const argument of list) {
    if (seen.has(argument.name)) {
      refuseTwice(found, argument.name, warnings)
      continue
    }
    seen.add(argument.name)
    setMember(found.arguments, argument.name, typedValue(argument, filling))
  }
}

function refuseTwice(found: FoundCall, argument: string, warnings: Warning[]): void {
  warnings.push(warning('duplicate_argument', `${found.name} has the argument ${argument} twice.`, found.span[0]))
  reject(found, 'incomplete', `The argument ${argument} of ${found.name} was given twice. Send the call again with one value.`)
}

function typedValue(argument: RawArgument, filling: Filling): unknown {
  const { found, warnings } = filling
  switch (argument.kind) {
    case 'value':
      return argument.value
    case 'text':
      return typedText(argument, filling)
    case 'json': {
      const parsed = parseRepairedJson(argument.text)
      if (parsed?.repaired) warnings.push(warning('json_repaired', `The value of ${argument.name} was mended.`, found.span[0]))
      if (!parsed || parsed.inexact) warnings.push(typeWarning(argument.name, found))
      return parsed ? parsed.value : argument.text
    }
  }
}

/** A call whose arguments are being filled in. */
export interface Filling {
  found: FoundCall
  tool: Tool | undefined
  warnings: Warning[]
}

/** The text as the type that the tool's schema asks for; where it cannot be, the text and a warning. */
export function typedText({ name, text }: { name: string; text: string }, { found, tool, warnings }: Filling): unknown {
  const { value, fits } = convertText(text, schemaOf(tool?.parameters, name), tool?.parameters)
  if (!fits) warnings.push(typeWarning(name, found))
  return value
}

function typeWarning(name: string, found: FoundCall): Warning {
  return warning(
    'type',
    `The value of ${name} in ${found.name} does not have the type that the tool asks for and stays text.`,
    found.span[0],
  )
}

/** A target that no file can have is refused before anybody tries it. */
export function checkTargets(found: FoundCall): void {
  if (!isPlainObject(found.arguments)) return
  for (const name of TARGETS) {
    const target = Object.hasOwn(found.arguments, name) ? found.arguments[name] : undefined
    if (typeof target !== 'string') continue
    const path = target.startsWith(FILE_SCHEME) ? target.slice(FILE_SCHEME.length) : target
    found.arguments[name] = path
    if (path.length <= MOST_TARGET && !CONTROL.test(path)) continue
    reject(
      found,
      'bad_target',
      `The argument ${name} of ${found.name} must have at most ${MOST_TARGET} characters and no control characters.`,
    )
  }
}
