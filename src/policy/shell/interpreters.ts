import type { Flag } from '../types.ts'
import { type Arguments, hasOption, longNames, type OptionShape, readArguments } from './arguments.ts'
import type { Call, Judgement } from './judgement.ts'
import type { Word } from './word.ts'

interface InterpreterRow extends OptionShape {
  /** Options that carry code. */
  code: readonly string[]
  /** Options behind which no script file follows, such as a module's name. */
  module?: readonly string[]
  /** Options with which the operands are files that are changed. */
  inPlace?: readonly string[]
}

const PYTHON: InterpreterRow = { values: 'cmWXQ', code: ['-c'], module: ['-m'], stopsAtOperand: true }
const NODE: InterpreterRow = {
  values: 'eprC',
  longValues: longNames('eval print require import loader experimental-loader'),
  code: ['-e', '-p', '--eval', '--print'],
  module: ['--test', '--run', '-v', '--version', '-h', '--help'],
  stopsAtOperand: true,
}
const row = (shape: InterpreterRow): InterpreterRow => ({ stopsAtOperand: true, ...shape })

/** Programs that run code which they are given in one way or another, apart from shells of the known grammar. */
export const INTERPRETERS: ReadonlyMap<string, InterpreterRow> = new Map<string, InterpreterRow>([
  ...['python', 'python2', 'python3', 'pypy', 'pypy3'].map((name): [string, InterpreterRow] => [name, PYTHON]),
  ['node', NODE],
  ['nodejs', NODE],
  ['ruby', row({ values: 'eErICFKx', attached: 'i', code: ['-e'], module: ['-v', '--version'], inPlace: ['-i'] })],
  ['perl', row({ values: 'eEIMm', attached: 'FCDix0', code: ['-e', '-E'], module: ['-v', '--version'], inPlace: ['-i'] })],
  ['php', row({ values: 'rBRFEfcdzSt', code: ['-r', '-B', '-R', '-E'], module: ['-S', '-v', '--version', '-i', '-m'] })],
  ['lua', row({ values: 'el', code: ['-e'], module: ['-v'] })],
  ['luajit', row({ values: 'el', code: ['-e'], module: ['-v'] })],
  ['osascript', row({ values: 'els', code: ['-e'] })],
  ['Rscript', row({ values: 'e', code: ['-e'] })],
  ['tclsh', row({ code: [] })],
  ['expect', row({ values: 'cf', code: ['-c'] })],
  ...[
    'julia',
    'R',
    'irb',
    'ipython',
    'iex',
    'elixir',
    'erl',
    'ghci',
    'runghc',
    'ocaml',
    'swift',
    'scala',
    'groovy',
    'jshell',
    'clojure',
    'sbcl',
    'guile',
    'racket',
    'octave',
  ].map((name): [string, InterpreterRow] => [
    name,
    row({ values: 'eE', longValues: longNames('eval execute'), code: ['-e', '-E', '--eval', '--execute'] }),
  ]),
  ...['vim', 'nvim', 'vi', 'ex', 'view'].map((name): [string, InterpreterRow] => [
    name,
    row({ values: 'cSTuUw', longValues: longNames('cmd'), code: ['-c', '-S', '--cmd'] }),
  ]),
  ['emacs', row({ values: 'flu', longValues: longNames('eval load funcall'), code: ['-f', '-l', '--eval', '--load', '--funcall'] })],
  ['ghc', row({ values: 'e', code: ['-e'], module: ['--make'] })],
  // Shells of another grammar: their text cannot be cut into segments.
  ...['fish', 'csh', 'tcsh', 'nu', 'xonsh', 'elvish', 'pwsh', 'powershell'].map((name): [string, InterpreterRow] => [
    name,
    row({
      values: 'cC',
      longValues: longNames('command init-command'),
      code: ['-c', '-C', '--command', '--init-command', '-Command', '-EncodedCommand'],
    }),
  ]),
])

const given = (words: readonly Word[], option: RegExp): boolean =>
  words.some((word, i) => {
    const found = option.exec(word.text)
    return found !== null && isInput(found[1] || words[i + 1]?.text)
  })
const isInput = (text: string | undefined): boolean => text === '-' || text === '/dev/stdin'
const always = (): boolean => true
const byScript = (words: readonly Word[]): boolean => given(words, /^(?:-f|--file=?)(.*)$/)

/** Programs that are no interpreters by themselves and take their orders from standard input when told so. */
const ORDERED_BY_INPUT: ReadonlyMap<string, (words: readonly Word[]) => boolean> = new Map([
  ...['awk', 'gawk', 'mawk', 'sed'].map((name): [string, typeof byScript] => [name, byScript]),
  ['make', words => given(words, /^(?:-f|--file=?|--makefile=?)(.*)$/)],
  ['gmake', words => given(words, /^(?:-f|--file=?|--makefile=?)(.*)$/)],
  ...['deno', 'bun'].map((name): [string, typeof byScript] => [name, words => words.some(word => isInput(word.text))]),
  ['crontab', words => words.every(word => isInput(word.text))],
  ...['at', 'batch', 'ed', 'ex', 'dc', 'gdb'].map((name): [string, typeof always] => [name, always]),
])

/** What standard input makes of a program that takes orders from it. */
export function flagsOfOrders({ base, args, stdin }: Call): Flag[] {
  return ORDERED_BY_INPUT.get(base)?.(args) ? flagsOfInput({ stdin }) : []
}

/** Judges what an interpreter is given: code among its words, a script file, or what comes in. */
export function judgeInterpreter(shape: InterpreterRow, call: Call): Judgement {
  const args = readArguments(call.args, shape)
  const carriesCode = hasOption(args, shape.code)
  const changed = carriesCode && hasOption(args, shape.inPlace ?? []) ? args.operands : []
  if (carriesCode || (call.stdin.kind === 'text' && readsInput(shape, args)))
    return { class: 'other', flags: ['inline-code'], paths: changed.map(word => ({ word, access: 'write' })) }
  return { class: 'other', flags: readsInput(shape, args) ? flagsOfInput(call) : [] }
}

function readsInput(shape: InterpreterRow, args: Arguments): boolean {
  const [script] = args.operands
  return script?.text === '-' || script?.text === '/dev/stdin' || (script === undefined && !hasOption(args, shape.module ?? []))
}

/** Code that comes through a pipe was seen by nobody. */
export function flagsOfInput({ stdin }: Pick<Call, 'stdin'>): Flag[] {
  if (stdin.kind === 'pipe') return stdin.network ? ['ambiguous', 'download-run'] : ['ambiguous']
  return stdin.kind === 'file' ? ['ambiguous'] : []
}
