import { expandBraces } from '../patterns/braces.ts'
import { compileWildcard, type Wildcard } from '../patterns/wildcard.ts'
import type { ShellLevel, ShellWord } from '../shell-port.ts'
import type { CommandSelector } from './schema.ts'

export interface LevelTest {
  (level: ShellLevel, options: LevelOptions): boolean
}

interface LevelOptions {
  /** A rule that forbids also knows a program by its last part, so that `/bin/rm` is no way around `rm`. */
  programByName: boolean
  /** A rule that allows speaks about words whose text is certain. */
  staticOnly: boolean
}

type Word = (text: string) => boolean

/** Compiles one `command` selector to a test of one level of a segment. */
export function compileCommand(selector: CommandSelector): LevelTest {
  if (typeof selector === 'string') return compileWords(selector)
  if (selector.argv) return compileLiteral(selector.argv)
  return compileShape(selector)
}

/** A pattern of words as one spells it in a rule or a brief: `npm {test,t} **`. */
export function compileWords(pattern: string): LevelTest {
  const tokens = pattern.split(/\s+/).filter(Boolean)
  const open = tokens.at(-1) === '**'
  const words = (open ? tokens.slice(0, -1) : tokens).map(compileWord)
  return ({ argv }, options) => {
    if (open ? argv.length < words.length : argv.length !== words.length) return false
    return words.every((word, i) => fitsWord(word, argv[i], i === 0, options)) && (!options.staticOnly || argv.every(isStatic))
  }
}

function compileLiteral(words: string[]): LevelTest {
  return ({ argv }, options) =>
    argv.length === words.length &&
    words.every((word, i) => fitsWord(text => text === word, argv[i], i === 0, options)) &&
    (!options.staticOnly || argv.every(isStatic))
}

function compileShape(shape: Exclude<CommandSelector, string>): LevelTest {
  const program = compileWord(shape.program ?? '')
  const subcommand = shape.subcommand === undefined ? null : compileWord(shape.subcommand)
  const all = shape.flags_all ?? []
  const anyFlags = shape.flags_any ?? []
  const anyArguments = (shape.args_any ?? []).map(compileWord)
  const needsAny = anyFlags.length + anyArguments.length > 0
  return (level, options) => {
    if (!fitsWord(program, level.argv[0] ?? { text: level.program, kind: 'static' }, true, options)) return false
    if (subcommand && !subcommand(level.subcommand ?? '')) return false
    if (options.staticOnly && !level.argv.every(isStatic)) return false
    if (!all.every(flag => level.hasFlag(flag))) return false
    if (!needsAny) return true
    return anyFlags.some(flag => level.hasFlag(flag)) || anyArguments.some(fits => level.operands.some(fits))
  }
}

function compileWord(token: string): Word {
  const alternatives: Wildcard[] = expandBraces(token).map(alternative => compileWildcard(alternative, { classes: false }))
  const [only] = alternatives
  return alternatives.length === 1 && only ? only : text => alternatives.some(fits => fits(text))
}

function fitsWord(word: Word, given: ShellWord | undefined, isProgram: boolean, options: LevelOptions): boolean {
  if (given === undefined) return false
  if (word(given.text)) return true
  return isProgram && options.programByName && word(given.text.slice(given.text.lastIndexOf('/') + 1))
}

function isStatic(word: ShellWord): boolean {
  return word.kind !== 'dynamic'
}
