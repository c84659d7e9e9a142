import { isPlainObject, parseJson } from '../../kernel/json.ts'
import { isTomlTable, readSmallToml, type TomlTable, type TomlValue } from '../../policy/paths/small-toml.ts'

/** One package that a lock file pins. */
export interface LockedPackage {
  name: string
  version: string
  /** What its content must hash to, by the file or algorithm that the value is for. */
  integrity: ReadonlyMap<string, string>
  /** Runs scripts of its own on install. */
  scripts: boolean
  /** A source that is no registry: git, URL, file. */
  source: string | null
}

type ReadLock = (text: string) => LockedPackage[] | null

const LOCKS: Readonly<Record<string, ReadLock>> = {
  'package-lock.json': readNpm,
  'npm-shrinkwrap.json': readNpm,
  'pnpm-lock.yaml': readPnpm,
  'yarn.lock': readYarn,
  'bun.lock': readBun,
  'cargo.lock': text => readToml(text, cargoPackage),
  'poetry.lock': text => readToml(text, poetryPackage),
  'uv.lock': text => readToml(text, uvPackage),
  'go.sum': readGoSum,
}

/** What a lock file pins, or null where the path is none or its text cannot be read. Requirements with hashes count as one. */
export function lockedPackages(path: string, text: string): LockedPackage[] | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  if (/^requirements.*\.txt$/.test(name)) return readRequirements(text)
  return Object.hasOwn(LOCKS, name) ? (LOCKS[name]?.(text) ?? null) : null
}

function locked(name: string, version: string, own: Partial<LockedPackage> = {}): LockedPackage {
  return { name, version, integrity: new Map(), scripts: false, source: null, ...own }
}

/** `sha512-abc sha1-def`, or one `sha512:abc`: the algorithm is what the value is for. */
function byAlgorithm(value: unknown): Map<string, string> {
  if (typeof value !== 'string') return new Map()
  return new Map(value.split(/\s+/).flatMap(token => (/^(\w+)[-:](.+)$/.exec(token) ? [splitToken(token)] : [])))
}

function splitToken(token: string): [string, string] {
  const [, algorithm = '', value = ''] = /^(\w+)[-:](.+)$/.exec(token) ?? []
  return [algorithm, value]
}

const OUTSIDE = /^(?:git\b|git\+|git:|ssh:|file:|link:|portal:|github:|gitlab:|bitbucket:|https?:.*\.git\b|https?:\/\/codeload\.)/

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function readNpm(raw: string): LockedPackage[] | null {
  const lock = parseJson(raw)
  if (!isPlainObject(lock)) return null
  if (isPlainObject(lock['packages']))
    return Object.entries(lock['packages']).flatMap(([path, entry]) => npmPackage(npmName(path, entry), entry))
  return npmTree(lock['dependencies'])
}

function npmTree(dependencies: unknown): LockedPackage[] {
  if (!isPlainObject(dependencies)) return []
  return Object.entries(dependencies).flatMap(([name, entry]) => [
    ...npmPackage(name, entry),
    ...(isPlainObject(entry) ? npmTree(entry['dependencies']) : []),
  ])
}

function npmName(path: string, entry: unknown): string {
  const own = isPlainObject(entry) ? text(entry['name']) : ''
  return own === '' ? path.slice(path.lastIndexOf('node_modules/') + (path.includes('node_modules/') ? 13 : 0)) : own
}

function npmPackage(name: string, entry: unknown): LockedPackage[] {
  // The project itself and its workspaces stand there too, as links or with no place to come from.
  if (!isPlainObject(entry) || name === '' || entry['link'] === true) return []
  const version = text(entry['version'])
  const resolved = text(entry['resolved'])
  const source = [resolved, version].find(from => OUTSIDE.test(from)) ?? null
  return [locked(name, version, { integrity: byAlgorithm(entry['integrity']), scripts: entry['hasInstallScript'] === true, source })]
}

/** Keys at two blanks below `packages:`; their members are read line by line. */
function readPnpm(raw: string): LockedPackage[] {
  const start = raw.search(/^packages:/m)
  const body = start < 0 ? '' : raw.slice(start).replace(/^packages:.*\n/, '')
  const section = body.split(/^\S/m)[0] ?? ''
  return section.split(/^ {2}(?=\S)/m).flatMap(block => {
    const key = /^'?\/?((?:@[^/'\n]+\/)?[^@/'\n]+)[@/]([^'\n]+?)'?:/.exec(block)
    if (key === null) return []
    const integrity = /\bintegrity: ([^\s,}]+)/.exec(block)?.[1]
    const outside = /\b(?:tarball|repo|directory): ([^\s,}]+)/.exec(block)?.[1] ?? null
    return [
      locked(key[1] ?? '', (key[2] ?? '').replace(/\(.*$/, ''), {
        integrity: byAlgorithm(integrity),
        scripts: /\brequiresBuild: true\b/.test(block),
        source: outside,
      }),
    ]
  })
}

/** Both forms of yarn: `integrity sha512-…` and `checksum: 10/abc`. */
function readYarn(raw: string): LockedPackage[] {
  return raw.split(/^(?=\S)/m).flatMap(block => {
    const name = /^"?((?:@[^/"\n]+\/)?[^@"\n]+)@/.exec(block)?.[1]
    const version = /^ +"?version"?:? "?([^"\n]+)"?$/m.exec(block)?.[1]
    if (name === undefined || version === undefined || block.startsWith('__')) return []
    const checksum = /^ +checksum:? "?([^"\n]+)"?$/m.exec(block)?.[1]
    const integrity = /^ +integrity:? "?([^"\n]+)"?$/m.exec(block)?.[1]
    const from = /^ +(?:resolved|resolution):? "?([^"\n]+)"?$/m.exec(block)?.[1] ?? ''
    const outside = OUTSIDE.test(from) ? from : (/@((?:git[+@:]|ssh:|file:|link:|portal:|https?:)[^"]*)/.exec(from)?.[1] ?? null)
    return [
      locked(name, version, {
        integrity: checksum === undefined ? byAlgorithm(integrity) : new Map([['checksum', checksum.replace(/^[^/]*\//, '')]]),
        source: outside,
      }),
    ]
  })
}

/** JSON with trailing commas: `"name": ["name@version", "registry", {…}, "sha512-…"]`. */
function readBun(raw: string): LockedPackage[] | null {
  const lock = parseJson(raw.replace(/,(\s*[}\]])/g, '$1'))
  if (!isPlainObject(lock) || !isPlainObject(lock['packages'])) return null
  return Object.values(lock['packages']).flatMap(entry => {
    const spec = Array.isArray(entry) ? text(entry[0]) : ''
    const at = spec.lastIndexOf('@')
    if (at <= 0 || !Array.isArray(entry) || spec.includes('@workspace:')) return []
    const version = spec.slice(at + 1)
    return [locked(spec.slice(0, at), version, { integrity: byAlgorithm(entry.at(-1)), source: OUTSIDE.test(version) ? version : null })]
  })
}

function readToml(raw: string, read: (entry: TomlTable) => LockedPackage): LockedPackage[] | null {
  const lock = readSmallToml(raw)
  const packages = lock?.['package']
  if (lock === null) return null
  return Array.isArray(packages) ? packages.filter(isTomlTable).map(read) : []
}

function cargoPackage(entry: TomlTable): LockedPackage {
  const source = text(entry['source'])
  return locked(text(entry['name']), text(entry['version']), {
    integrity: new Map(typeof entry['checksum'] === 'string' ? [['checksum', entry['checksum']]] : []),
    source: source.startsWith('git+') ? source : null,
  })
}

function poetryPackage(entry: TomlTable): LockedPackage {
  const source = isTomlTable(entry['source']) ? entry['source'] : null
  const type = text(source?.['type'])
  return locked(text(entry['name']), text(entry['version']), {
    integrity: hashes(entry['files'], 'file'),
    source: ['git', 'url', 'file', 'directory'].includes(type) ? `${type} ${text(source?.['url'])}` : null,
  })
}

function uvPackage(entry: TomlTable): LockedPackage {
  const source = isTomlTable(entry['source']) ? entry['source'] : {}
  // `editable` and `virtual` are the project itself and its workspace members.
  const kind = ['git', 'url', 'path', 'directory'].find(one => one in source)
  return locked(text(entry['name']), text(entry['version']), {
    integrity: new Map([...hashes(entry['wheels'], 'url'), ...hashes(entry['sdist'] === undefined ? [] : [entry['sdist']], 'url')]),
    source: kind === undefined ? null : `${kind} ${text(source[kind])}`,
  })
}

function hashes(files: TomlValue | undefined, key: string): Map<string, string> {
  const rows = Array.isArray(files) ? files.filter(isTomlTable) : []
  return new Map(rows.map(row => [text(row[key]).replace(/^.*\//, ''), text(row['hash'])]))
}

function readGoSum(raw: string): LockedPackage[] {
  return raw.split('\n').flatMap(line => {
    const [name, version, hash] = line.trim().split(/\s+/)
    return name && version && hash ? [locked(name, version, { integrity: new Map([['h1', hash]]) })] : []
  })
}

/** `name==1 --hash=sha256:…`, lines joined. Several hashes belong to several files that have no names here. */
function readRequirements(raw: string): LockedPackage[] {
  return raw
    .replace(/\\\r?\n/g, ' ')
    .split('\n')
    .flatMap(line => {
      const pin = /^\s*([\w.-]+)(?:\[[^\]]*\])?\s*===?\s*([^\s;#\\]+)/.exec(line)
      const values = [...line.matchAll(/--hash=(\S+)/g)].map(match => match[1] ?? '').sort()
      return pin ? [locked((pin[1] ?? '').toLowerCase(), pin[2] ?? '', { integrity: new Map(values.map(value => [value, value])) })] : []
    })
}
