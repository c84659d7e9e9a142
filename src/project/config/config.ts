import type { Json, JsonObject } from '../../kernel/json.ts'
import { readFileIfThere } from '../../store/files.ts'
import type { Environment } from '../folders.ts'
import { parseConfigText } from './config-text.ts'
import {
  type ConfigFile,
  type ConfigLayers,
  isGroup,
  readConfigFile,
  resolveOne,
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

const STRENGTH: Source[] = ['default', 'personal', 'project', 'env', 'flag']

/** Every setting that is in force, with its source. Throws where a file holds what it must not. */
export function listSettings(places: ConfigPlaces): Setting[] {
  return resolveSettings(layersOf(places))
}

function layersOf(places: ConfigPlaces): ConfigLayers {
  return {
    flags: places.flags,
    env: places.env,
    project: places.project ? readConfig(places.project, 'project', places) : null,
    personal: readConfig(places.personal, 'personal', places),
  }
}

/** One setting, or a group of them as one object; the source of a group is its strongest one. */
export function getSetting(places: ConfigPlaces, key = ''): Setting {
  if (key !== '' && rowFor(key)) return resolveOne(key, layersOf(places)) ?? { key, value: null, source: 'default' }
  if (key !== '' && !isGroup(key)) throw unknownKey(key)
  const members = listSettings(places).filter(setting => key === '' || setting.key.startsWith(`${key}.`))
  const source = members.map(member => member.source).sort((a, b) => STRENGTH.indexOf(b) - STRENGTH.indexOf(a))[0] ?? 'default'
  return { key, value: nested(members, key), source }
}

export function emptyConfig(scope: ConfigScope): string {
  return scope === 'project' ? '{\n  "$schema": "./config.schema.json"\n}\n' : '{}\n'
}

/** What one file says; nothing where there is none. */
export function readConfig(path: string, scope: ConfigScope, places: ConfigPlaces): ConfigFile {
  const text = readFileIfThere(path)
  if (text === null) return { path, values: new Map() }
  const known = lastRead.get(path)
  if (known?.text === text && known.scope === scope) return known.file
  const file = readConfigFile(path, parseConfigText(path, text), { personalFile: places.personal, scope })
  lastRead.set(path, { text, scope, file })
  return file
}

// Settings are asked for one by one; a file that says the same as before is not taken apart again.
const lastRead = new Map<string, { text: string; scope: ConfigScope; file: ConfigFile }>()

function nested(settings: Setting[], prefix: string): JsonObject {
  const root = emptyObject()
  for (const { key, value } of settings) {
    const path = (prefix ? key.slice(prefix.length + 1) : key).split('.')
    const last = path.pop() ?? ''
    let node = root
    for (const part of path) node = (node[part] ??= emptyObject()) as JsonObject
    node[last] = value
  }
  return root
}

// Without a prototype: a person's own names are among the keys.
function emptyObject(): JsonObject {
  return Object.create(null) as JsonObject
}
