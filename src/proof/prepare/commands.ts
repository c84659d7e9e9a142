import { isPlainObject, parseJson } from '../../kernel/json.ts'

/** F-7: what makes the dependencies of a lock file present. */
interface PrepareRow {
  /** At the root of the tree. */
  lock: string
  family: 'javascript' | 'python' | 'go' | 'rust'
  command: string
  /** Whether the lock file asks for nothing at all. */
  isEmpty: (text: string) => boolean
}

const hasNo =
  (mark: RegExp) =>
  (text: string): boolean =>
    !mark.test(text)

/** In order: of one family the first that is there counts. */
export const PREPARE_ROWS: readonly PrepareRow[] = [
  { lock: 'package-lock.json', family: 'javascript', command: 'npm ci --ignore-scripts --no-audit --no-fund', isEmpty: isEmptyNpmLock },
  {
    lock: 'pnpm-lock.yaml',
    family: 'javascript',
    command: 'pnpm install --frozen-lockfile --ignore-scripts',
    isEmpty: hasNo(/^(packages|snapshots):|^ {2,}(link|specifier):/m),
  },
  { lock: 'yarn.lock', family: 'javascript', command: 'yarn install --immutable', isEmpty: hasNo(/^[^\s#]/m) },
  { lock: 'bun.lock', family: 'javascript', command: 'bun install --frozen-lockfile --ignore-scripts', isEmpty: () => false },
  { lock: 'uv.lock', family: 'python', command: 'uv sync --frozen', isEmpty: () => false },
  { lock: 'poetry.lock', family: 'python', command: 'poetry install --no-root', isEmpty: hasNo(/^\[\[package\]\]/m) },
  {
    lock: 'requirements.txt',
    family: 'python',
    command: 'python3 -m venv .venv && .venv/bin/pip install --disable-pip-version-check -r requirements.txt',
    isEmpty: hasNo(/^\s*[^\s#]/m),
  },
  { lock: 'go.sum', family: 'go', command: 'go mod download', isEmpty: hasNo(/\S/) },
  { lock: 'Cargo.lock', family: 'rust', command: 'cargo fetch --locked', isEmpty: hasNo(/^source = /m) },
]

/** Programs whose version belongs to what they install, by the words of a command. */
const TOOLS: Record<string, readonly string[]> = {
  npm: ['node', 'npm'],
  npx: ['node', 'npm'],
  node: ['node'],
  pnpm: ['node', 'pnpm'],
  yarn: ['node', 'yarn'],
  bun: ['bun'],
  uv: ['uv'],
  poetry: ['poetry'],
  python3: ['python3'],
  pip: ['python3'],
  go: ['go'],
  cargo: ['cargo'],
}

export function toolsOf(command: string): string[] {
  return [...new Set(Object.entries(TOOLS).flatMap(([word, tools]) => (wordsOf(command).includes(word) ? tools : [])))].sort()
}

/** The program that a command of the table starts with. */
function programOf(command: string): string {
  return wordsOf(command)[0] ?? ''
}

/** Files that say what is installed, wherever they stand in the tree. */
export const MANIFESTS: readonly string[] = [
  ...PREPARE_ROWS.map(({ lock }) => lock),
  'package.json',
  'npm-shrinkwrap.json',
  '.npmrc',
  'pnpm-workspace.yaml',
  '.yarnrc',
  '.yarnrc.yml',
  'bunfig.toml',
  'pyproject.toml',
  'setup.py',
  'setup.cfg',
  'requirements*.txt',
  '.python-version',
  'go.{mod,work}',
  'Cargo.toml',
  'rust-toolchain*',
]

/** Where programs keep what they fetched, if not beside the work: below this folder of the layer, told by these variables. */
export const CACHES: Record<string, string> = { GOMODCACHE: 'go', CARGO_HOME: 'cargo' }

/** Makes them install beside the work instead of into the home. */
export const PREPARE_ENVIRONMENT = { POETRY_VIRTUALENVS_IN_PROJECT: 'true', UV_LINK_MODE: 'copy' }

/** The commands for the lock files at the root of a tree, joined; null where nothing has to be prepared. A program that is not
 *  installed is left out as long as another one is: the work is then hardly judged by it. */
export function prepareCommand(locks: ReadonlyMap<string, string>, isInstalled: (program: string) => boolean): string | null {
  const rows = PREPARE_ROWS.filter(({ lock, isEmpty }) => locks.has(lock) && !isEmpty(locks.get(lock) ?? ''))
  const first = rows.filter((row, i) => rows.findIndex(({ family }) => family === row.family) === i)
  const usable = first.filter(({ command }) => isInstalled(programOf(command)))
  const chosen = usable.length > 0 ? usable : first
  return chosen.length === 0 ? null : chosen.map(({ command }) => command).join(' && ')
}

// Nothing in node_modules, not even a link to a workspace.
function isEmptyNpmLock(text: string): boolean {
  const lock = parseJson(text)
  if (!isPlainObject(lock)) return false
  const { packages, dependencies } = lock
  const names = [packages, dependencies].flatMap(part => (isPlainObject(part) ? Object.keys(part) : []))
  return names.every(name => name === '')
}

function wordsOf(command: string): string[] {
  return command.split(/[\s;&|()]+/).filter(Boolean)
}
