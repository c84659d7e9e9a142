import type * as z from 'zod'
import { isPlainObject, type Json, parseJson } from '../../kernel/json.ts'
import { nearest } from '../../kernel/names.ts'
import { ConfigBroken, ConfigKeyUnknown, ConfigPersonalOnly } from '../errors.ts'
import type { Environment } from '../folders.ts'
import { type ConfigKey, configKeys } from './keys.ts'

export type Source = 'flag' | 'env' | 'project' | 'personal' | 'default'

export interface Setting {
  key: string
  value: Json
  source: Source
  file?: string
}

/** What one config file says, flattened to `key → value`. */
export interface ConfigFile {
  path: string
  values: Map<string, Json>
}

export interface ConfigLayers {
  flags: Record<string, Json>
  env: Environment
  project: ConfigFile | null
  personal: ConfigFile
}

/** The row that describes a key, or undefined. */
export function rowFor(key: string): ConfigKey | undefined {
  return plainRows.get(key) ?? namedRows.find(row => matches(row.key, key))
}

const plainRows = new Map(configKeys.filter(row => !row.key.includes('*')).map(row => [row.key, row]))
const namedRows = configKeys.filter(row => row.key.includes('*'))

/** Every setting with its value and where it came from: flag, environment, project, personal, default, first one wins, but
 *  for keys on which a project may only tighten. */
export function resolveSettings(layers: ConfigLayers): Setting[] {
  const named = new Set([...Object.keys(layers.flags), ...(layers.project?.values.keys() ?? []), ...layers.personal.values.keys()])
  const keys = configKeys.flatMap(row => (row.key.includes('*') ? [...named].filter(key => matches(row.key, key)).sort() : [row.key]))
  return keys.map(key => resolveOne(key, layers)).filter(setting => setting !== undefined)
}

/** One setting; undefined where it has no value. */
export function resolveOne(key: string, layers: ConfigLayers): Setting | undefined {
  const row = rowFor(key)
  if (!row) return undefined
  const flag = layers.flags[key]
  if (flag !== undefined) return { key, value: flag, source: 'flag' }
  const env = fromEnvironment(row, layers.env)
  if (env !== undefined) return { key, value: env, source: 'env' }
  const file = fromFiles(row, key, layers)
  if (file) return file
  return row.default === undefined ? undefined : { key, value: row.default, source: 'default' }
}

function fromFiles(row: ConfigKey, key: string, { project, personal }: ConfigLayers): Setting | undefined {
  const own = personal.values.get(key)
  const theirs = project?.values.get(key)
  const fromPersonal = own === undefined ? undefined : ({ key, value: own, source: 'personal', file: personal.path } as const)
  const fromProject =
    theirs === undefined || !project ? undefined : ({ key, value: theirs, source: 'project', file: project.path } as const)
  if (fromProject && fromPersonal && typeof row.project === 'object') {
    return row.project.stricter(fromPersonal.value, fromProject.value) === fromPersonal.value ? fromPersonal : fromProject
  }
  return fromProject ?? fromPersonal
}

function fromEnvironment(row: ConfigKey, env: Environment): Json | undefined {
  if (row.key.includes('*')) return undefined
  const names = [`QED_${row.key.toUpperCase().replaceAll('.', '_')}`, ...(row.env ? [row.env] : [])]
  for (const name of names) {
    const text = env[name]
    if (text === undefined || text === '') continue
    return readValue(row, text, `the environment variable ${name}`)
  }
  return undefined
}

const SWITCHES = new Map([
  ['1', true],
  ['0', false],
  ['yes', true],
  ['no', false],
])

/** A value from a place that only holds text: taken as JSON where that fits the key, else as the text itself. */
export function readValue(row: ConfigKey, text: string, where: string): Json {
  for (const candidate of [parseJson(text), SWITCHES.get(text), text]) {
    if (candidate !== undefined && row.schema().safeParse(candidate).success) return candidate
  }
  throw new ConfigBroken(where, `${JSON.stringify(text)} does not fit ${row.key}: ${problem(row.schema(), text)}`)
}

/** Flattens a parsed config file and checks every key and value in it. `may` says what the file is allowed to set. */
export function readConfigFile(path: string, parsed: unknown, rules: { personalFile: string; scope: 'project' | 'personal' }): ConfigFile {
  if (!isPlainObject(parsed)) throw new ConfigBroken(path, 'it must hold one JSON object')
  const values = new Map<string, Json>()
  const { $schema: _schema, ...settings } = parsed
  flatten(settings, '', values, path)
  for (const [key, value] of values) checkSetting(key, value, { ...rules, file: path })
  return { path, values }
}

/** Throws where a key does not exist, its value does not fit, or this scope may not set it. */
export function checkSetting(
  key: string,
  value: Json,
  at: { file: string; personalFile: string; scope: 'project' | 'personal' },
): ConfigKey {
  const row = rowFor(key)
  if (!row) throw unknownKey(key, at.file)
  if (at.scope === 'project' && row.project === 'never') throw new ConfigPersonalOnly(key, at.personalFile)
  if (!row.schema().safeParse(value).success) throw new ConfigBroken(at.file, `${key}: ${problem(row.schema(), value)}`)
  return row
}

export function unknownKey(key: string, file?: string): ConfigKeyUnknown {
  const near = nearest(
    key,
    configKeys.map(row => row.key),
  )
  return new ConfigKeyUnknown({ key, near, file, reserved: key.split('.').find(isReserved) })
}

function flatten(value: Record<string, unknown>, prefix: string, into: Map<string, Json>, file: string): void {
  for (const [name, member] of Object.entries(value)) {
    const key = prefix ? `${prefix}.${name}` : name
    if (rowFor(key)) into.set(key, member as Json)
    else if (isGroup(key) && isPlainObject(member)) flatten(member, key, into, file)
    else if (isGroup(key)) throw new ConfigBroken(file, `${key} is a group and takes an object`)
    else throw unknownKey(key, file)
  }
}

/** Whether keys exist below this one. */
export function isGroup(key: string): boolean {
  const depth = key.split('.').length
  return configKeys.some(row => {
    const parts = row.key.split('.')
    return parts.length > depth && matches(parts.slice(0, depth).join('.'), key)
  })
}

function matches(pattern: string, key: string): boolean {
  const wanted = pattern.split('.')
  const given = key.split('.')
  return wanted.length === given.length && wanted.every((part, i) => (part === '*' ? isName(given[i] ?? '') : part === given[i]))
}

/** Whether a person may choose it as the name of a model or host. */
function isName(part: string): boolean {
  return part !== '' && !isReserved(part)
}

// What every object of JavaScript has already: a program that reads the settings could take it for a name that was set.
function isReserved(part: string): boolean {
  return Object.hasOwn(Object.prototype, part)
}

function problem(schema: z.ZodType, value: unknown): string {
  return schema.safeParse(value).error?.issues[0]?.message ?? 'it does not fit'
}
