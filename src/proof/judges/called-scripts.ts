import type { ShellSegment } from '../../policy/shell-port.ts'

interface Interpreter {
  /** Options whose next word is their value. */
  values: readonly string[]
  /** Those of them whose value is a file that is run. */
  files?: readonly string[]
  /** Options behind which there is no script: code on the command line, a module. */
  instead?: readonly string[]
}

const SHELL: Interpreter = { values: ['-o', '+o', '--rcfile', '--init-file'], instead: ['-c', '-s'] }
const NODE: Interpreter = {
  values: ['-r', '--require', '--import', '--loader', '--experimental-loader', '-C', '--conditions', '--test-reporter', '--env-file'],
  files: ['-r', '--require', '--import', '--loader', '--experimental-loader'],
  instead: ['-e', '--eval', '-p', '--print', '--run'],
}

const INTERPRETERS: ReadonlyMap<string, Interpreter> = new Map([
  ...['sh', 'bash', 'dash', 'zsh', 'ksh'].map((name): [string, Interpreter] => [name, SHELL]),
  ...['node', 'tsx', 'ts-node', 'jiti'].map((name): [string, Interpreter] => [name, NODE]),
  ...['python', 'python3', 'pypy3'].map((name): [string, Interpreter] => [name, { values: ['-W', '-X'], instead: ['-c', '-m'] }]),
  ['.', { values: [] }],
  ['source', { values: [] }],
  ['ruby', { values: ['-I', '-r'], files: ['-r'], instead: ['-e'] }],
  ['perl', { values: ['-I'], instead: ['-e', '-E'] }],
  ['php', { values: ['-d', '-c'], instead: ['-r'] }],
  ['deno', { values: ['-c', '--config'], instead: ['eval', 'task', 'test'] }],
  ['bun', { values: ['--cwd'], instead: ['-e', 'test', 'install', 'x'] }],
])

/** Words in front of a command that run it as it is; the first word, then those that must follow it. */
const RUNNERS: readonly (readonly string[])[] = [
  ['npx'],
  ['bunx'],
  ['uvx'],
  ['npm', 'exec'],
  ['pnpm', 'exec'],
  ['yarn', 'exec'],
  ['uv', 'run'],
  ['poetry', 'run'],
  ['bundle', 'exec'],
  ['deno', 'run'],
  ['bun', 'run'],
]

/** The files that a command runs as programs, as they are written. */
export function calledScripts({ argv }: Pick<ShellSegment, 'argv'>): string[] {
  const words = argv.map(word => (word.kind === 'static' ? word.text : ''))
  return scriptsOf(words)
}

function scriptsOf(words: readonly string[]): string[] {
  const runner = RUNNERS.find(row => row.every((word, i) => words[i] === word))
  if (runner) {
    const rest = words.slice(runner.length)
    const start = rest.findIndex(word => !word.startsWith('-'))
    if (start < 0) return []
    const inner = scriptsOf(rest.slice(start))
    return inner.length > 0 || !/[./]/.test(rest[start] ?? '') ? inner : [rest[start] ?? '']
  }
  const [program = '', ...rest] = words
  const interpreter = INTERPRETERS.get(program.slice(program.lastIndexOf('/') + 1))
  const own = program.includes('/') ? [program] : []
  return interpreter ? [...own, ...operandScript(rest, interpreter)] : own
}

function operandScript(words: readonly string[], { values, files = [], instead = [] }: Interpreter): string[] {
  const found: string[] = []
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ''
    const [option = '', value] = word.startsWith('--') ? word.split('=', 2) : [word]
    if (instead.includes(option)) return found
    if (values.includes(option)) {
      const given = value ?? words[++i] ?? ''
      if (files.includes(option)) found.push(given)
    } else if (!/^[-+]./.test(word) && word !== '--') return word === '' ? found : [...found, word]
  }
  return found
}
