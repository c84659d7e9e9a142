import { canonicalJson, isPlainObject, parseJson } from '../../kernel/json.ts'
import { foldName } from './names.ts'
import { readSmallToml, tomlLeaves } from './small-toml.ts'

/** A file that says what a project depends on, and which of its keys do. `all`: every change of it counts. */
interface ManifestRow {
  name: RegExp
  form: 'json' | 'toml' | 'lines'
  keys: string[] | 'all'
}

const JS_KEYS = [
  'dependencies',
  'devDependencies',
  'peerDependencies',
  'optionalDependencies',
  'bundledDependencies',
  'overrides',
  'resolutions',
]
const CARGO_KEYS = ['dependencies', 'dev-dependencies', 'build-dependencies', 'workspace.dependencies', 'patch', 'replace', 'target']
const PYTHON_KEYS = [
  'project.dependencies',
  'project.optional-dependencies',
  'project.dynamic',
  'dependency-groups',
  'build-system',
  'tool.poetry.dependencies',
  'tool.poetry.dev-dependencies',
  'tool.poetry.group',
  'tool.poetry.extras',
  'tool.poetry.source',
  'tool.uv',
  'tool.pdm',
]

const MANIFESTS: ManifestRow[] = [
  { name: /^package\.json$/, form: 'json', keys: [...JS_KEYS, 'pnpm'] },
  { name: /^composer\.json$/, form: 'json', keys: ['require', 'require-dev', 'replace', 'conflict', 'provide', 'repositories'] },
  { name: /^cargo\.toml$/, form: 'toml', keys: CARGO_KEYS },
  { name: /^pyproject\.toml$/, form: 'toml', keys: PYTHON_KEYS },
  { name: /^(?:go\.mod|gemfile|requirements[^/]*\.txt)$/, form: 'lines', keys: 'all' },
  {
    name: /^(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|cargo\.lock|poetry\.lock|uv\.lock|pdm\.lock|pipfile(?:\.lock)?|go\.sum|gemfile\.lock|composer\.lock|flake\.lock|mix\.lock|pubspec\.lock)$/,
    form: 'lines',
    keys: 'all',
  },
]

function rowFor(path: string): ManifestRow | undefined {
  const name = foldName(path.slice(path.lastIndexOf('/') + 1))
  return MANIFESTS.find(row => row.name.test(name))
}

/** Whether a write touches what a project depends on. Without knowledge of the changed keys every write does. */
export function changesDependencies(path: string, keysChanged: string[] | undefined): boolean {
  const row = rowFor(path)
  if (!row) return false
  if (row.keys === 'all' || keysChanged === undefined) return true
  const { keys } = row
  return keysChanged.some(changed => keys.some(key => changed === key || changed.startsWith(`${key}.`)))
}

/** The keys (TOML: dotted ones) in which two texts of a manifest differ by value; undefined where either cannot be read, which counts as changed.
 *  A missing text is an empty manifest. */
export function changedManifestKeys(path: string, before: string | null, after: string | null): string[] | undefined {
  const row = rowFor(path)
  if (!row || row.form === 'lines') return undefined
  const read = row.form === 'json' ? jsonMembers : tomlMembers
  const [old, now] = [read(before), read(after)]
  if (!old || !now) return undefined
  return [...new Set([...old.keys(), ...now.keys()])].filter(key => old.get(key) !== now.get(key)).sort()
}

function jsonMembers(text: string | null): Map<string, string> | null {
  const value = text === null ? {} : parseJson(text)
  return isPlainObject(value) ? new Map(Object.entries(value).map(([key, member]) => [key, canonicalJson(member)])) : null
}

function tomlMembers(text: string | null): Map<string, string> | null {
  const tables = readSmallToml(text ?? '')
  return tables ? new Map([...tomlLeaves(tables)].map(([key, value]) => [key, canonicalJson(value)])) : null
}
