/** Which words of a package manager fetch, and which change what a project depends on. */
export interface PackageRow {
  fetches: ReadonlySet<string>
  changes: ReadonlySet<string>
  /** Fetches; changes as soon as a package is named. */
  changesWithOperand?: ReadonlySet<string>
}

const words = (text: string): ReadonlySet<string> => new Set(text === '' ? [] : text.split(' '))

const NODE: PackageRow = {
  fetches: words('install i ci add update upgrade up dlx exec x create init view info outdated audit publish fetch import'),
  changes: words('add remove rm uninstall un unlink update upgrade up link ln dedupe'),
  changesWithOperand: words('install i in'),
}

export const PACKAGES: ReadonlyMap<string, PackageRow> = new Map<string, PackageRow>([
  ...['npm', 'pnpm', 'yarn', 'bun'].map((name): [string, PackageRow] => [name, NODE]),
  ...['pip', 'pip3', 'pipx'].map((name): [string, PackageRow] => [
    name,
    { fetches: words('install download index search run'), changes: words('install uninstall') },
  ]),
  ['poetry', { fetches: words('add install update lock'), changes: words('add remove lock update') }],
  ['uv', { fetches: words('add sync lock pip tool run'), changes: words('add remove lock') }],
  ['cargo', { fetches: words('add update fetch install search'), changes: words('add remove rm update') }],
  ['go', { fetches: words('get install mod'), changes: words('get') }],
  ['bundle', { fetches: words('install update add outdated'), changes: words('add remove update lock') }],
  ['composer', { fetches: words('install update require'), changes: words('require remove update') }],
  ['gem', { fetches: words('install update fetch push'), changes: words('install uninstall update') }],
  ['brew', { fetches: words('install update upgrade fetch'), changes: words('') }],
  ...['apt', 'apt-get', 'dnf', 'yum', 'apk'].map((name): [string, PackageRow] => [
    name,
    { fetches: words('install update upgrade add dist-upgrade full-upgrade'), changes: words('') },
  ]),
  ['deno', { fetches: words('add install cache'), changes: words('add remove') }],
])

/** Two words that change dependencies together. */
export const CHANGING_PAIRS: ReadonlySet<string> = new Set([
  'go mod tidy',
  'go mod edit',
  'go mod init',
  'go mod vendor',
  'uv pip install',
  'yarn global add',
])

/** Two words that set keys of the manifest, and the keys that say what a project depends on. */
export const CHANGING_KEYS: ReadonlySet<string> = new Set([
  'npm pkg set',
  'npm pkg delete',
  'pnpm pkg set',
  'pnpm pkg delete',
  'bun pm pkg',
])
export const DEPENDENCY_KEY = /^(?:\w*[dD]ependencies|overrides|resolutions)(?:[.[=]|$)/

/** Programs that fetch a package and run it at once when told so. */
export const FETCH_AND_RUN: ReadonlyMap<string, readonly string[] | null> = new Map([
  ['npx', ['-y', '--yes', '-p', '--package']],
  ['bunx', null],
  ['uvx', null],
  ['pnpx', null],
])
