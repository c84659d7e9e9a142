// Text from tags and tag-like notations becomes the type that the tool's schema asks for, and only that: a string parameter
// keeps `"5"` and `"true"` as they were written.
import { isPlainObject } from '../../kernel/json.ts'
import { parseStrictJson } from './json.ts'
import type { JsonSchema } from './types.ts'

type TypeName = 'null' | 'boolean' | 'integer' | 'number' | 'array' | 'object' | 'string'

const INTEGER = /^-?\d+(?:\.0+)?$/
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const TRUE = new Set(['true', '1', ''])
const FALSE = new Set(['false', '0'])
const MOST_REFERENCES = 8

interface Converted {
  value: unknown
  /** False: the schema wants something else and the text stayed, in whole or in a number too great to keep. */
  fits: boolean
}

const as = (value: unknown): Converted => ({ value, fits: true })

/** In the order in which a schema that allows several types has them tried. */
const converters: Record<TypeName, (text: string) => Converted | undefined> = {
  null: text => (text === 'null' ? as(null) : undefined),
  boolean: text => {
    const word = text.toLowerCase()
    return TRUE.has(word) ? as(true) : FALSE.has(word) ? as(false) : undefined
  },
  integer: text => (INTEGER.test(text) && Number.isSafeInteger(Number(text)) ? as(Number(text)) : undefined),
  number: text => (NUMBER.test(text) && isExact(text) ? as(Number(text)) : undefined),
  array: text => jsonOf(text, Array.isArray),
  object: text => jsonOf(text, isPlainObject),
  string: as,
}
/** Names that tool definitions written by hand use for the types of JSON Schema. */
const SYNONYMS = new Map<string, TypeName>([
  ['str', 'string'],
  ['int', 'integer'],
  ['float', 'number'],
  ['double', 'number'],
  ['bool', 'boolean'],
  ['list', 'array'],
  ['dict', 'object'],
])
const ORDER = Object.keys(converters) as TypeName[]

export function convertText(text: string, schema: unknown, root?: JsonSchema): Converted {
  const types = typesOf(schema, root)
  if (types.size === 0) return as(text)
  const trimmed = text.trim()
  for (const type of ORDER) {
    const converted = types.has(type) ? converters[type](type === 'string' ? text : trimmed) : undefined
    if (converted) return converted
  }
  return { value: text, fits: false }
}

/** The schema of one argument, if the tool describes it. */
export function schemaOf(parameters: JsonSchema | undefined, argument: string): unknown {
  const properties = propertiesOf(parameters)
  return Object.hasOwn(properties, argument) ? properties[argument] : undefined
}

export function propertiesOf(parameters: JsonSchema | undefined): Record<string, unknown> {
  return isPlainObject(parameters?.['properties']) ? parameters['properties'] : {}
}

function typesOf(schema: unknown, root: JsonSchema | undefined, references = 0): Set<TypeName> {
  if (!isPlainObject(schema) || references > MOST_REFERENCES) return new Set()
  const types = new Set<TypeName>()
  const add = (written: unknown): void => {
    const type = typeof written === 'string' ? (SYNONYMS.get(written) ?? written) : ''
    if (Object.hasOwn(converters, type)) types.add(type as TypeName)
  }
  const { type } = schema
  for (const one of Array.isArray(type) ? type : [type]) add(one)
  if (schema['nullable'] === true) add('null')
  if (types.size === 0) for (const value of allowedValues(schema)) add(typeName(value))
  for (const branch of branchesOf(schema, root)) for (const one of typesOf(branch, root, references + 1)) types.add(one)
  return types
}

function allowedValues(schema: JsonSchema): unknown[] {
  if (Array.isArray(schema['enum'])) return schema['enum']
  return 'const' in schema ? [schema['const']] : []
}

function branchesOf(schema: JsonSchema, root: JsonSchema | undefined): unknown[] {
  const listed = ['anyOf', 'oneOf', 'allOf'].flatMap(key => (Array.isArray(schema[key]) ? schema[key] : []))
  const reference = schema['$ref']
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return listed
  const target = reference
    .slice(2)
    .split('/')
    .reduce<unknown>((at, key) => (isPlainObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), root)
  return [...listed, target]
}

function typeName(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

function jsonOf(text: string, isWanted: (value: unknown) => boolean): Converted | undefined {
  const parsed = parseStrictJson(text)
  return parsed && isWanted(parsed.value) ? { value: parsed.value, fits: !parsed.inexact } : undefined
}

function isExact(text: string): boolean {
  const value = Number(text)
  return Number.isFinite(value) && (Number.isSafeInteger(value) || !/^-?\d+$/.test(text))
}
