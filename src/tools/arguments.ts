import * as z from 'zod'
import { isPlainObject, type JsonObject, parseJson } from '../kernel/json.ts'
import { convertText, propertiesOf, schemaOf } from '../text/dialects/convert.ts'
import type { JsonSchema } from '../text/dialects/types.ts'
import type { AnyTool } from './tool.ts'

export type Read = { kind: 'fits'; input: JsonObject } | { kind: 'misfit'; message: string }

/** What a model wrote as arguments of a tool. What fits only after a change of form (a number, a switch, a list or an object written
 *  as text, a null for what may be left out) is taken; a name or a value is never guessed. */
export function readArguments(tool: AnyTool, text: string): Read {
  const value = text.trim() === '' ? {} : parseJson(text)
  if (!isPlainObject(value)) return { kind: 'misfit', message: `the arguments of ${tool.name} are not a JSON object. Send one object.` }
  const schema = tool.input()
  const asWritten = schema.safeParse(value)
  if (asWritten.success) return { kind: 'fits', input: asWritten.data as JsonObject }
  const parameters = z.toJSONSchema(schema, { io: 'input' }) as JsonSchema
  const reformed = schema.safeParse(inForm(value, parameters))
  if (reformed.success) return { kind: 'fits', input: reformed.data as JsonObject }
  const issues = reformed.error.issues.map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`))
  const takes = `It takes ${namesOf(parameters).join(', ')}.`
  return { kind: 'misfit', message: `the arguments of ${tool.name} do not fit: ${issues.slice(0, 5).join('; ')}. ${takes}` }
}

function inForm(value: Record<string, unknown>, parameters: JsonSchema): Record<string, unknown> {
  const needed = requiredOf(parameters)
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, given]) => {
      if (given === null && !needed.has(name)) return []
      const isText = typeof given === 'string' && given.trim() !== ''
      return [[name, isText ? convertText(given, schemaOf(parameters, name), parameters).value : given]]
    }),
  )
}

/** Names of all parameters; those that may be left out end with `?`. */
function namesOf(parameters: JsonSchema): string[] {
  const needed = requiredOf(parameters)
  return Object.keys(propertiesOf(parameters)).map(name => (needed.has(name) ? name : `${name}?`))
}

function requiredOf({ required }: JsonSchema): Set<unknown> {
  return new Set(Array.isArray(required) ? required : [])
}
