import { type OptionShape, readArguments } from './arguments.ts'
import { FILE_EFFECTS } from './file-effect-table.ts'
import { FLAG_ALIASES, GLOBAL_OPTIONS, ONE_DASH } from './flag-table.ts'
import { cutGit } from './git.ts'
import { TRANSFERS } from './network-table.ts'
import type { SegmentWord } from './reading.ts'
import { READ_ONLY } from './readonly-table.ts'
import type { Word } from './word.ts'

/** A command as rules over program, subcommand, flags and operands see it. */
export interface PlainCommand {
  program: string
  /** First operand behind the global options. */
  subcommand: string | null
  /** Unbundled, values off, spellings brought to the full name where the program's are known. */
  flags: ReadonlySet<string>
  operands: string[]
}

/** Cuts one level of a segment for matching. */
export function plainCommand(argv: readonly SegmentWord[]): PlainCommand {
  const [first, ...words] = argv
  const program = first?.text ?? ''
  const base = program.slice(program.lastIndexOf('/') + 1)
  const { subcommand, before, rest } = cut(base, words)
  const aliases = FLAG_ALIASES.get(`${base} ${subcommand}`) ?? FLAG_ALIASES.get(base)
  const isOneDash = ONE_DASH.has(base)
  const args = readArguments(rest, isOneDash ? {} : shapeOf(base))
  const own = readArguments(before, GLOBAL_OPTIONS.get(base) ?? {}).options
  const names = isOneDash ? oneDashNames([...before, ...rest]) : [...own, ...args.options].map(option => option.name)
  return {
    program,
    subcommand,
    flags: new Set(names.flatMap(name => [name, aliases?.get(name) ?? name])),
    operands: args.operands.map(word => word.text),
  }
}

interface Cut {
  subcommand: string | null
  before: readonly Word[]
  rest: readonly Word[]
}

function cut(base: string, words: readonly Word[]): Cut {
  if (base === 'git') {
    const git = cutGit(words)
    const at = words.length - git.words.length - 1
    return { subcommand: git.subcommand === '' ? null : git.subcommand, before: words.slice(0, Math.max(0, at)), rest: git.words }
  }
  const [operand] = readArguments(words, GLOBAL_OPTIONS.get(base) ?? { stopsAtOperand: true }).operands
  const at = operand === undefined ? -1 : words.indexOf(operand)
  if (at < 0) return { subcommand: null, before: words, rest: [] }
  // The word stays among the operands of programs without subcommands; a rule may look for it in either place.
  return {
    subcommand: words[at]?.text ?? null,
    before: words.slice(0, at),
    rest: GLOBAL_OPTIONS.has(base) ? words.slice(at + 1) : words.slice(at),
  }
}

function shapeOf(base: string): OptionShape {
  return READ_ONLY.get(base) ?? FILE_EFFECTS.get(base) ?? TRANSFERS.get(base) ?? {}
}

function oneDashNames(words: readonly Word[]): string[] {
  return words.filter(({ text }) => /^-./.test(text)).map(({ text }) => text.replace(/=.*$/s, ''))
}

const SHORTEST_PREFIX = 4

/** Whether a flag is among the command's, in any of its spellings. A long flag may be cut short as far as it stays itself. */
export function hasFlag(command: PlainCommand, wanted: string): boolean {
  const base = command.program.slice(command.program.lastIndexOf('/') + 1)
  const aliases = FLAG_ALIASES.get(`${base} ${command.subcommand}`) ?? FLAG_ALIASES.get(base)
  const full = aliases?.get(wanted) ?? wanted
  if (command.flags.has(wanted) || command.flags.has(full)) return true
  if (!full.startsWith('--')) return false
  const known = new Set(aliases?.values())
  return [...command.flags].some(flag => flag.length >= SHORTEST_PREFIX && full.startsWith(flag) && !known.has(flag))
}
