import { isPlainObject, parseJson } from '../../kernel/json.ts'
import { isTomlTable, readSmallToml, type TomlTable, type TomlValue } from '../../policy/paths/small-toml.ts'

/** A dependency that a manifest takes from elsewhere than a registry. */
export interface OutsideSource {
  name: string
  source: string
}

type ReadManifest = (text: string) => OutsideSource[]

const MANIFESTS: readonly (readonly [RegExp, ReadManifest])[] = [
  [/^package\.json$/, fromPackageJson],
  [/^cargo\.toml$/, fromCargo],
  [/^pyproject\.toml$/, fromPyproject],
  [/^requirements.*\.txt$/, fromRequirements],
  [/^go\.mod$/, fromGoMod],
]

export function outsideSources(path: string, text: string): OutsideSource[] {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  return MANIFESTS.find(([pattern]) => pattern.test(name))?.[1](text) ?? []
}

const JS_BLOCKS = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies', 'overrides', 'resolutions']
/** A scheme, a host's short form, or `user/repository`; `workspace:`, `npm:` and `catalog:` stay in a registry or the project. */
const JS_OUTSIDE = /^(?:git|git\+\w+|https?|ssh|file|link|portal|github|gitlab|bitbucket|gist):|^git@|^[\w.-]+\/[\w.-]+(?:#.*)?$|^\.{0,2}\//

function fromPackageJson(text: string): OutsideSource[] {
  const manifest = parseJson(text)
  if (!isPlainObject(manifest)) return []
  return JS_BLOCKS.flatMap(block => {
    const entries = manifest[block]
    if (!isPlainObject(entries)) return []
    return Object.entries(entries).flatMap(([name, source]) =>
      typeof source === 'string' && JS_OUTSIDE.test(source) ? [{ name, source }] : [],
    )
  })
}

const CARGO_BLOCKS = ['dependencies', 'dev-dependencies', 'build-dependencies']

function fromCargo(text: string): OutsideSource[] {
  const manifest = readSmallToml(text)
  if (manifest === null) return []
  const targets = isTomlTable(manifest['target']) ? Object.values(manifest['target']).filter(isTomlTable) : []
  const workspace = isTomlTable(manifest['workspace']) ? [manifest['workspace']] : []
  const patches = isTomlTable(manifest['patch']) ? Object.values(manifest['patch']).filter(isTomlTable) : []
  const blocks = [manifest, ...targets, ...workspace].flatMap(holder => CARGO_BLOCKS.map(block => holder[block])).filter(isTomlTable)
  return [...blocks, ...patches].flatMap(block => fromTables(block, ['git', 'path']))
}

/** `name = { git = "…" }` */
function fromTables(block: TomlTable, keys: readonly string[]): OutsideSource[] {
  return Object.entries(block).flatMap(([name, value]) => {
    const rows = (Array.isArray(value) ? value : [value]).filter(isTomlTable)
    return rows.flatMap(row =>
      keys.flatMap(key => {
        const source = row[key]
        return typeof source === 'string' ? [{ name, source: `${key} ${source}` }] : []
      }),
    )
  })
}

const POETRY_KEYS = ['git', 'url', 'path', 'file']

function fromPyproject(text: string): OutsideSource[] {
  const manifest = readSmallToml(text)
  if (manifest === null) return []
  const project = tableAt(manifest, 'project')
  const lists = [
    project['dependencies'],
    ...Object.values(tableAt(project, 'optional-dependencies')),
    ...Object.values(tableAt(manifest, 'dependency-groups')),
    tableAt(manifest, 'build-system')['requires'],
  ]
  const poetry = tableAt(tableAt(manifest, 'tool'), 'poetry')
  const groups = Object.values(tableAt(poetry, 'group')).filter(isTomlTable)
  const blocks = [poetry, ...groups].flatMap(holder => [tableAt(holder, 'dependencies'), tableAt(holder, 'dev-dependencies')])
  const uv = tableAt(tableAt(tableAt(manifest, 'tool'), 'uv'), 'sources')
  return [
    ...lists.flatMap(list => (Array.isArray(list) ? list : [])).flatMap(fromPep508),
    ...blocks.flatMap(block => fromTables(block, POETRY_KEYS)),
    ...fromTables(uv, POETRY_KEYS),
  ]
}

function tableAt(holder: TomlTable, key: string): TomlTable {
  const value = holder[key]
  return isTomlTable(value) ? value : {}
}

/** `name[extra] @ https://…` */
function fromPep508(value: TomlValue): OutsideSource[] {
  const found = typeof value === 'string' ? /^\s*([\w.-]+)\s*(?:\[[^\]]*\])?\s*@\s*(\S+)/.exec(value) : null
  return found ? [{ name: found[1] ?? '', source: found[2] ?? '' }] : []
}

/** A line that is an address or a path, or that names another index; `-e .` is the project itself. */
function fromRequirements(text: string): OutsideSource[] {
  return text.split('\n').flatMap((raw): OutsideSource[] => {
    const line = raw.replace(/(?:^|\s)#.*$/, '').trim()
    const index = /^(?:-i|--index-url|--extra-index-url|-f|--find-links)[\s=]+(\S+)/.exec(line)?.[1]
    if (index !== undefined) return [{ name: index, source: index }]
    const bare = line.replace(/^(?:-e|--editable)[\s=]+/, '')
    if (/^(?:git|hg|svn|bzr)\+|^https?:|^file:|^\.{1,2}\/|^\//.test(bare)) return [{ name: bare, source: bare }]
    return fromPep508(bare)
  })
}

/** `replace a => ../b` */
function fromGoMod(text: string): OutsideSource[] {
  return [...text.matchAll(/^[ \t]*(?:replace[ \t]+)?([^\s=]+)(?:[ \t]+v\S+)?[ \t]+=>[ \t]+(\.{0,2}\/\S*)/gm)].map(match => ({
    name: match[1] ?? '',
    source: match[2] ?? '',
  }))
}
