import { isPlainObject, parseJson } from '../../kernel/json.ts'

/** Which script of a manifest a command runs, and where that manifest is. */
export interface ScriptCall {
  name: string
  /** A folder below the one of the command: `--prefix`, `-C`. */
  folder: string
  /** Names or folders of workspace packages; `all` for every one. */
  workspaces: string[] | 'all'
  /** The word could also be a command of the package manager itself or a file. */
  maybe: boolean
}

interface Manager {
  program: string
  run: readonly string[]
  /** Words that are scripts by themselves. */
  short: Readonly<Record<string, string>>
  /** Any other word may be a script. */
  bare: boolean
}

const MANAGERS: readonly Manager[] = [
  {
    program: 'npm',
    run: ['run', 'run-script', 'rum', 'urn'],
    short: { test: 'test', t: 'test', tst: 'test', start: 'start', stop: 'stop', restart: 'restart' },
    bare: false,
  },
  { program: 'pnpm', run: ['run', 'run-script'], short: { test: 'test', t: 'test', start: 'start' }, bare: true },
  { program: 'yarn', run: ['run'], short: { test: 'test', start: 'start' }, bare: true },
  { program: 'bun', run: ['run'], short: {}, bare: true },
]

const FOLDER_OPTIONS = new Set(['--prefix', '-C', '--dir', '--cwd'])
const WORKSPACE_OPTIONS = new Set(['-w', '--workspace', '--filter', '-F'])
const ALL_OPTIONS = new Set(['-ws', '--workspaces', '-r', '--recursive'])

/** The manifest script that a command names, or null. */
export function scriptCall(argv: readonly string[]): ScriptCall | null {
  const [program = '', ...words] = argv
  const base = program.slice(program.lastIndexOf('/') + 1)
  if (base === 'node') {
    const at = words.findIndex(word => word === '--run' || word.startsWith('--run='))
    const name = at < 0 ? '' : (words[at]?.split('=', 2)[1] ?? words[at + 1] ?? '')
    return name === '' ? null : { name, folder: '', workspaces: [], maybe: false }
  }
  const manager = MANAGERS.find(row => row.program === base)
  return manager ? managerCall(manager, words) : null
}

function managerCall({ run, short, bare, program }: Manager, words: readonly string[]): ScriptCall | null {
  const call: ScriptCall = { name: '', folder: '', workspaces: [], maybe: false }
  const operands: string[] = []
  for (let i = 0; i < words.length && words[i] !== '--'; i++) {
    const word = words[i] ?? ''
    const [option = '', given] = word.split('=', 2)
    if (FOLDER_OPTIONS.has(option)) call.folder = given ?? words[++i] ?? ''
    // pnpm's -w means the root of the workspace.
    else if (WORKSPACE_OPTIONS.has(option) && !(program === 'pnpm' && option === '-w'))
      call.workspaces = [...(call.workspaces === 'all' ? [] : call.workspaces), given ?? words[++i] ?? '']
    else if (ALL_OPTIONS.has(option)) call.workspaces = 'all'
    else if (!word.startsWith('-')) operands.push(word)
  }
  const [first = '', second = '', third = ''] = operands
  if (program === 'yarn' && first === 'workspace')
    return { ...call, workspaces: [second], name: third === 'run' ? (operands[3] ?? '') : third }
  const name = run.includes(first) ? second : Object.hasOwn(short, first) ? (short[first] ?? '') : bare ? first : ''
  return name === '' ? null : { ...call, name, maybe: bare && !run.includes(first) && !Object.hasOwn(short, first) }
}

/** The commands that a script of a manifest means, with what runs before and after it; none where it has no such script. */
export function scriptTexts(manifest: string, name: string): string[] {
  const scripts = scriptsOf(manifest)
  if (!scripts.has(name)) return []
  return [`pre${name}`, name, `post${name}`].flatMap(script => scripts.get(script) ?? [])
}

export function packageName(manifest: string): string | null {
  const parsed = parseJson(manifest)
  return isPlainObject(parsed) && typeof parsed['name'] === 'string' ? parsed['name'] : null
}

function scriptsOf(manifest: string): Map<string, string> {
  const parsed = parseJson(manifest)
  const scripts = isPlainObject(parsed) ? parsed['scripts'] : null
  return new Map(
    isPlainObject(scripts) ? Object.entries(scripts).filter((entry): entry is [string, string] => typeof entry[1] === 'string') : [],
  )
}
