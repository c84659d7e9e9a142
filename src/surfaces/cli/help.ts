import { EXIT_MEANINGS } from '../../kernel/exit-codes.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import { wrap } from '../../kernel/wrap.ts'
import { exitCodesOf, inputSchema } from '../../operations/describe.ts'
import { commandOf } from '../../operations/invoke.ts'
import { type AnyOperation, type Group, SECTIONS } from '../../operations/operation.ts'
import type { Paint } from '../../operations/paint.ts'
import { type InputFlag, inputFlags } from './arguments.ts'
import { GLOBAL_FLAGS } from './globals.ts'
import { SERVICE_COMMANDS } from './services.ts'
import { keysHiddenBy, SHORT_FORMS, shortFormOf } from './short-forms.ts'

const SECTION_TITLES: Record<(typeof SECTIONS)[number], string> = {
  work: 'Work',
  review: 'Review',
  knowledge: 'Knowledge',
  setup: 'Setup',
  service: 'Service',
}

/** `qed --help`: every noun, grouped, on one screen. */
export function overview(groups: readonly Group[], paint: Paint): string {
  const sections = SECTIONS.map(section => {
    const rows: [string, string][] = groups
      .filter(group => group.section === section && group.noun !== 'system')
      .map(({ noun, about }) => [noun, about])
    rows.unshift(...SHORT_FORMS.filter(short => short.section === section).map(({ word, about }): [string, string] => [word, about]))
    if (section === 'service') rows.push(...SERVICE_COMMANDS.map(({ words, about }): [string, string] => [words.join(' '), about]))
    return rows.length === 0 ? '' : `${paint.bold(SECTION_TITLES[section])}\n${table(rows, paint)}`
  })
  return [
    `${paint.bold('qed')}  coding agents in which done means proven`,
    `${paint.bold('Usage')}\n  qed <noun> <verb> [words] [flags]`,
    ...sections.filter(Boolean),
    `${paint.bold('Everywhere')}\n${table(
      [
        ['--json', 'one JSON object; --jsonl for many inputs at once'],
        ['-C, --project <dir>', 'work in another folder'],
        ['-h, --help', 'help for any command: qed <noun> <verb> --help'],
      ],
      paint,
    )}`,
    paint.dim('Start with: qed init, then qed status.'),
  ].join('\n\n')
}

/** `qed <noun> --help` */
export function nounHelp(noun: string, operations: readonly AnyOperation[], paint: Paint): string {
  const rows = operations.map((operation): [string, string] => [
    commandOf(operation),
    `${operation.summary} ${paint.dim(`(${effectWord(operation)})`)}`,
  ])
  return [`${paint.bold(`qed ${noun}`)} <verb>`, table(rows, paint), paint.dim(`Flags and examples: qed ${noun} <verb> --help`)].join(
    '\n\n',
  )
}

/** What help says of one command, be it an operation or a service. */
export interface CommandHelp {
  /** The command, and what follows it where that is not made of positions and flags. */
  command: string
  usage?: string | undefined
  /** Keys that are not listed. */
  hidden?: string[]
  summary: string
  note: string
  input: JsonObject
  positional: string[]
  examples: string[]
  exitCodes: number[]
}

/** `qed <noun> <verb> --help`. `said`: the first word of the command line, which may be a short form. */
export function operationHelp(operation: AnyOperation, paint: Paint, said?: string): string {
  const short = shortFormOf(operation, said)
  const own = operation.examples.filter(example => example.startsWith(`${short?.word} `))
  return commandHelp(
    {
      command: short ? `qed ${short.word}` : commandOf(operation),
      usage: short?.usage,
      hidden: short ? keysHiddenBy(short) : [],
      summary: operation.summary,
      note: `It ${effectWord(operation)}.${operation.personOnly ? ' Only a person may call it.' : ''}`,
      input: inputSchema(operation),
      positional: operation.positional ?? [],
      examples: own.length > 0 ? own : operation.examples,
      exitCodes: exitCodesOf(operation),
    },
    paint,
  )
}

export function commandHelp(help: CommandHelp, paint: Paint): string {
  const all = inputFlags(help.input).filter(({ key }) => !help.hidden?.includes(key))
  const flags = help.usage === undefined ? all : all.filter(({ key }) => !help.positional.includes(key))
  const after = help.usage ?? [...help.positional.map(key => positionWord(key, flags)), '[flags]'].join(' ')
  const globals = GLOBAL_FLAGS.filter(({ name }) => !flags.some(flag => flag.name === name))
  return [
    `${help.summary}.\n${paint.dim(help.note)}`,
    `${paint.bold('Usage')}\n  ${help.command} ${after}`,
    ...(flags.length > 0 ? [`${paint.bold('Flags')}\n${table(flags.map(flagRow), paint)}`] : []),
    `${paint.bold('Everywhere')}\n${table(globals.map(globalRow), paint)}`,
    `${paint.bold('Examples')}\n${help.examples.map(example => `  qed ${example}`).join('\n')}`,
    `${paint.bold('Exit codes')}\n${table(
      help.exitCodes.map(exit => [String(exit), EXIT_MEANINGS[exit] ?? '']),
      paint,
    )}`,
  ].join('\n\n')
}

function effectWord({ effect }: AnyOperation): string {
  return { read: 'only reads', write: 'writes', execute: 'executes' }[effect]
}

function positionWord(key: string, flags: InputFlag[]): string {
  const flag = flags.find(candidate => candidate.key === key)
  const word = `${key}${flag?.type === 'array' ? '…' : ''}`
  return flag?.required ? `<${word}>` : `[${word}]`
}

function flagRow(flag: InputFlag): [string, string] {
  const value =
    flag.type === 'boolean'
      ? ''
      : ` <${flag.choices.length > 0 ? flag.choices.join('|') : flag.type === 'array' ? `${flag.item},…` : flag.type}>`
  const notes = [flag.required ? 'required' : '', saysNothing(flag.default) ? '' : `default ${JSON.stringify(flag.default)}`].filter(
    Boolean,
  )
  const name = flag.type === 'boolean' && flag.default === true ? `[no-]${flag.name}` : flag.name
  return [`--${name}${value}`, `${flag.about}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`]
}

// What is off, empty or absent until someone says otherwise is what everyone expects.
function saysNothing(value: Json | undefined): boolean {
  return value === undefined || value === '' || value === false || (Array.isArray(value) && value.length === 0)
}

function globalRow({ name, short, value, about }: (typeof GLOBAL_FLAGS)[number]): [string, string] {
  return [`${short ? `-${short}, ` : ''}--${name}${value ? ` <${value}>` : ''}`, about]
}

function table(rows: [string, string][], paint: Paint): string {
  const left = Math.min(34, Math.max(...rows.map(([name]) => name.length)))
  const indent = ' '.repeat(left + 4)
  const room = Math.max(20, paint.width - indent.length)
  return rows.map(([name, about]) => `  ${name.padEnd(left)}  ${wrap(about, room, indent)}`).join('\n')
}
