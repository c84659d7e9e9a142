import { parseArgs } from 'node:util'
import { InvalidInput, Usage } from '../../kernel/errors.ts'
import { isPlainObject, type Json, type JsonObject, parseJson } from '../../kernel/json.ts'
import { kebabCase, nearest, snakeCase } from '../../kernel/names.ts'
import { emptyGlobals, type FlagToken, GLOBAL_FLAGS, type GlobalFlag, type Globals, isGlobalFlag, takeGlobal } from './globals.ts'

/** A flag of an operation, read off the JSON Schema of its input. */
export interface InputFlag {
  /** Key in the input. */
  key: string
  /** Name on the command line. */
  name: string
  type: 'string' | 'number' | 'boolean' | 'array' | 'json' | 'any'
  item: 'string' | 'number' | 'boolean' | 'json' | 'any'
  required: boolean
  about: string
  choices: string[]
  default: Json | undefined
}

/** Other names that people and older scripts use for a flag. */
const FLAG_ALIASES = new Map([
  ['provider', 'host'],
  ['db', 'store'],
])

export function inputFlags(schema: JsonObject): InputFlag[] {
  const required = (schema['required'] ?? []) as string[]
  return Object.entries((schema['properties'] ?? {}) as Record<string, JsonObject>).map(([key, property]) => ({
    key,
    name: kebabCase(key),
    type: flagType(property),
    item: itemType(property),
    required: required.includes(key),
    about: typeof property['description'] === 'string' ? property['description'] : '',
    choices: ((property['enum'] ?? []) as Json[]).map(String),
    default: property['default'],
  }))
}

export interface ParsedArguments {
  globals: Globals
  /** What flags and positions say, still to be checked by the operation's schema. */
  input: JsonObject
  /** Texts that stand for a file or stdin (`@file`, `-`) by input key; whoever may read files replaces them. */
  references: Map<string, string>
}

/** Reads the words after the command. Pure: `@file` and `-` are handed back as references. */
export function parseArguments(args: string[], flags: InputFlag[], positional: string[], streams: boolean): ParsedArguments {
  // An operation's own key wins over a global flag of the same name, but for --stream where there is something to stream.
  const own = flags.filter(flag => !(streams && flag.name === 'stream'))
  const globalFlags = GLOBAL_FLAGS.filter(global => !own.some(flag => flag.name === global.name))
  const globals = emptyGlobals()
  const input: JsonObject = {}
  const references = new Map<string, string>()
  const words: string[] = []
  for (const token of tokensOf(args, globalFlags, own)) {
    if (token.kind === 'positional') words.push(token.value)
    if (token.kind !== 'option') continue
    const flag = own.find(({ name }) => name === token.name)
    const given = { ...token, value: valueOf(token, [...own, ...globalFlags]) }
    if (flag) takeFlag(flag, given, input, references)
    else if (globalFlags.some(({ name }) => name === token.name) && isGlobalFlag(token)) takeGlobal(globals, given)
    else throw unknownFlag(token.rawName, [...own, ...globalFlags])
  }
  placePositions(words, positional, flags, input, references)
  return { globals, input, references }
}

/** What a whole command line says with global flags, for answers that come before it is understood. Never throws. */
export function scanGlobals(argv: string[]): Globals {
  const globals = emptyGlobals()
  for (const token of tokensOf(argv, GLOBAL_FLAGS, [])) {
    if (token.kind !== 'option' || !isGlobalFlag(token)) continue
    try {
      takeGlobal(globals, token)
    } catch {
      // What is wrong with it is said when the command line is read in earnest.
    }
  }
  return globals
}

/** Flags may stand before the command. Throws `usage` where one of those is not a global flag. */
export function splitLeadingFlags(argv: string[]): { leading: string[]; words: string[] } {
  const tokens = tokensOf(argv, GLOBAL_FLAGS, [])
  const first = tokens.find(token => token.kind !== 'option')?.index ?? argv.length
  for (const token of tokens) {
    if (token.kind !== 'option' || token.index > first) break
    if (!isGlobalFlag(token))
      throw new Usage(`There is no flag ${token.rawName} before a command.`, {
        next: { command: 'qed --help', why: 'It lists commands and flags.' },
      })
  }
  return { leading: argv.slice(0, first), words: argv.slice(first) }
}

function tokensOf(args: string[], globalFlags: GlobalFlag[], own: InputFlag[]) {
  return parseArgs({
    args: renamed(args),
    strict: false,
    allowPositionals: true,
    allowNegative: true,
    tokens: true,
    options: Object.fromEntries([
      ...globalFlags.map(({ name, short, value }) => [name, { type: value ? 'string' : 'boolean', ...(short && { short }) }] as const),
      ...own.map(({ name, type }) => [name, { type: type === 'boolean' ? 'boolean' : 'string' }] as const),
    ]),
  }).tokens
}

// `--stream --json` has forgotten a value; `--stream=--json` has not.
function valueOf(token: { value?: string | undefined; inlineValue?: boolean | undefined }, known: { name: string }[]): string | undefined {
  return !token.inlineValue && known.some(({ name }) => token.value === `--${name}`) ? undefined : token.value
}

// What stands after `--` belongs to another program, whose flags keep their names.
function renamed(args: string[]): string[] {
  const end = args.indexOf('--')
  return args.map((arg, i) => (end === -1 || i < end ? renamedFlag(arg) : arg))
}

function renamedFlag(arg: string): string {
  const match = /^--(no-)?([a-z]+)(=.*)?$/s.exec(arg)
  const alias = FLAG_ALIASES.get(match?.[2] ?? '')
  return alias ? `--${match?.[1] ?? ''}${alias}${match?.[3] ?? ''}` : arg
}

function takeFlag(flag: InputFlag, token: FlagToken, input: JsonObject, references: Map<string, string>): void {
  if (flag.type === 'boolean') {
    input[flag.key] = token.value === undefined ? !token.rawName.startsWith('--no-') : flagValue('boolean', token.value)
    return
  }
  if (token.value === undefined) throw new Usage(`${token.rawName} needs a value.`)
  addValue(flag, token.value, input, references)
}

function addValue(flag: InputFlag, text: string, input: JsonObject, references: Map<string, string>): void {
  if (flag.type === 'json' && (text === '-' || text.startsWith('@'))) references.set(flag.key, text)
  else if (flag.type === 'array') input[flag.key] = [...((input[flag.key] ?? []) as Json[]), ...arrayItems(flag, text)]
  else input[flag.key] = flagValue(flag.type, text)
}

// A comma inside braces belongs to a pattern: `src/{a,b}/**` is one.
const BETWEEN_ITEMS = /,(?![^{}]*\})/

function arrayItems(flag: InputFlag, text: string): Json[] {
  const whole = text.startsWith('[') ? parseJson(text) : undefined
  if (Array.isArray(whole)) return whole
  return flag.item === 'json' ? [flagValue('json', text)] : text.split(BETWEEN_ITEMS).map(item => flagValue(flag.item, item))
}

// What does not fit stays text: the operation's schema then says what is wrong, in one place for all surfaces.
function flagValue(type: InputFlag['type'], text: string): Json {
  switch (type) {
    case 'number':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text
    case 'json':
      return parseJson(text) ?? text
    default:
      return text
  }
}

function placePositions(
  words: string[],
  positional: string[],
  flags: InputFlag[],
  input: JsonObject,
  references: Map<string, string>,
): void {
  const rest = [...words]
  for (const key of positional) {
    const flag = flags.find(candidate => candidate.key === key)
    if (!flag || rest.length === 0) break
    if (flag.type === 'array') input[key] = rest.splice(0).map(text => flagValue(flag.item, text))
    else addValue(flag, rest.shift() ?? '', input, references)
  }
  if (rest.length > 0)
    throw new Usage(`Nothing takes the word ${JSON.stringify(rest[0])} here. Words that belong together need quotes around them.`, {
      details: { words: rest },
    })
}

function unknownFlag(rawName: string, known: { name: string }[]): Usage {
  const near = nearest(
    rawName.replace(/^-+/, ''),
    known.map(({ name }) => name),
  )
  return new Usage(
    `There is no flag ${rawName} here.${near.length > 0 ? ` Did you mean ${near.map(name => `--${name}`).join(' or ')}?` : ''}`,
    {
      details: { flag: rawName, near },
    },
  )
}

/** Joins `--input` with the single flags, which win. */
export function mergeInput(whole: unknown, single: JsonObject): JsonObject {
  if (whole === undefined) return single
  if (!isPlainObject(whole)) throw new InvalidInput('--input', [{ path: '', message: 'expected one JSON object' }])
  const kept = Object.entries(whole as JsonObject).filter(([key]) => !Object.hasOwn(single, snakeCase(key)))
  return { ...Object.fromEntries(kept), ...single }
}

function flagType(property: JsonObject): InputFlag['type'] {
  switch (property['type']) {
    case 'string':
      return 'string'
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
    case 'array':
      return property['type']
    case 'object':
      return 'json'
    default:
      if (property['enum'] || property['const']) return 'string'
      return isWordOrObject(property['anyOf']) ? 'json' : 'any'
  }
}

/** A word of a list can be no JSON object, so that either is understood as it is meant. */
function isWordOrObject(forms: Json | undefined): boolean {
  const isObject = (form: Json): boolean => isPlainObject(form) && form['type'] === 'object'
  return Array.isArray(forms) && forms.some(isObject) && forms.every(form => isObject(form) || (isPlainObject(form) && 'enum' in form))
}

function itemType(property: JsonObject): InputFlag['item'] {
  const item = isPlainObject(property['items']) ? flagType(property['items']) : 'string'
  return item === 'array' ? 'json' : item
}
