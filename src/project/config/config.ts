import { applyEdits, type FormattingOptions, modify, type ParseError, parse, printParseErrorCode } from 'jsonc-parser'
import type { Json, JsonObject } from '../../kernel/json.ts'
import { scan } from '../../policy/secrets/scan.ts'
import { readFileIfThere, writeFileAtomically } from '../../store/files.ts'
import type { Store } from '../../store/store.ts'
import { ConfigBroken, ConfigHoldsSecret } from '../errors.ts'
import type { Environment } from '../folders.ts'
import {
  type ConfigFile,
  checkSetting,
  isGroup,
  readConfigFile,
  readValue,
  resolveSettings,
  rowFor,
  type Setting,
  type Source,
  unknownKey,
} from './resolve.ts'

export type ConfigScope = 'project' | 'personal'

export interface ConfigPlaces {
  /** `.qed/config.json`, or null outside a project. */
  project: string | null
  personal: string
  env: Environment
  /** Settings given on the command line. */
  flags: Record<string, Json>
}

const FORMAT: FormattingOptions = { tabSize: 2, insertSpaces: true, eol: '\n', insertFinalNewline: true }
const STRENGTH: Source[] = ['default', 'personal', 'project', 'env', 'flag']

/** Every setting that is in force, with its source. Throws where a file holds what it must not. */
export function listSettings(places: ConfigPlaces): Setting[] {
  return resolveSettings({
    flags: places.flags,
    env: places.env,
    project: places.project ? readConfig(places.project, 'project', places) : null,
    personal: readConfig(places.personal, 'personal', places),
  })
}

/** One setting, or a group of them as one object; the source of a group is its strongest one. */
export function getSetting(places: ConfigPlaces, key = ''): Setting {
  const settings = listSettings(places)
  if (key !== '' && rowFor(key)) return settings.find(setting => setting.key === key) ?? { key, value: null, source: 'default' }
  if (key !== '' && !isGroup(key)) throw unknownKey(key)
  const members = settings.filter(setting => key === '' || setting.key.startsWith(`${key}.`))
  const source = members.map(member => member.source).sort((a, b) => STRENGTH.indexOf(b) - STRENGTH.indexOf(a))[0] ?? 'default'
  return { key, value: nested(members, key), source }
}

/** Sets one key in one file, or takes it out where the value is null; comments and layout of the file stay. The write lock of
 *  the store makes two writers take turns, and the change stands in its log. A dry run checks everything and writes nothing. */
export function setSetting(
  places: ConfigPlaces,
  change: { key: string; value: Json; scope: ConfigScope; dryRun?: boolean },
  store: Store,
): Setting & { previous: Json } {
  const { key, scope } = change
  const file = fileOf(places, scope)
  const value = fitted(change)
  if (value !== null) checkSetting(key, value, { file, personalFile: places.personal, scope })
  else if (!rowFor(key)) throw unknownKey(key)
  const [secret] = scan(JSON.stringify(value))
  if (secret) throw new ConfigHoldsSecret(key, secret.detector)
  return store.db.transaction(() => {
    const previous = readConfig(file, scope, places).values.get(key) ?? null
    const setting = { key, value, previous, source: scope, file }
    if (change.dryRun) return setting
    store.log.append(scope === 'project' ? 'project' : 'person', 'config.set', { key, scope, removed: value === null })
    const text = readFileIfThere(file) ?? emptyConfig(scope)
    const edits = modify(text, key.split('.'), value ?? undefined, { formattingOptions: FORMAT })
    writeFileAtomically(file, applyEdits(text, edits), { private: scope === 'personal' })
    return setting
  })
}

export function emptyConfig(scope: ConfigScope): string {
  return scope === 'project' ? '{\n  "$schema": "./config.schema.json"\n}\n' : '{}\n'
}

function fileOf(places: ConfigPlaces, scope: ConfigScope): string {
  if (scope === 'personal') return places.personal
  if (places.project === null) throw new ConfigBroken('config.json', 'there is no project here')
  return places.project
}

// A command line has only text for a value; a program may send the value itself.
function fitted({ key, value }: { key: string; value: Json }): Json {
  const row = rowFor(key)
  if (!row) throw unknownKey(key)
  return typeof value === 'string' && value !== '' ? readValue(row, value, `The value for ${key}`) : value
}

function readConfig(path: string, scope: ConfigScope, places: ConfigPlaces): ConfigFile {
  const text = readFileIfThere(path)
  if (text === null) return { path, values: new Map() }
  const errors: ParseError[] = []
  const parsed: unknown = parse(text, errors, { allowTrailingComma: true })
  const [error] = errors
  if (error) throw new ConfigBroken(path, `line ${lineOf(text, error.offset)}: ${printParseErrorCode(error.error)}`)
  return readConfigFile(path, parsed, { personalFile: places.personal, scope })
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

function nested(settings: Setting[], prefix: string): JsonObject {
  const root: JsonObject = {}
  for (const { key, value } of settings) {
    const path = (prefix ? key.slice(prefix.length + 1) : key).split('.')
    const last = path.pop() ?? ''
    let node = root
    for (const part of path) node = (node[part] ??= {}) as JsonObject
    node[last] = value
  }
  return root
}
