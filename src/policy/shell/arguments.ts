import { restOf, type Word } from './word.ts'

/** Which options of a program take a value. What is not named is a plain flag. */
export interface OptionShape {
  /** Short letters whose value is the rest of the word or the next word. */
  values?: string
  /** Short letters whose value can only be the rest of the word. */
  attached?: string
  /** Long names, without dashes, whose value may be the next word. */
  longValues?: ReadonlySet<string>
  /** Everything behind the first operand belongs to another command. */
  stopsAtOperand?: boolean
}

export interface Option {
  /** `-x` or `--long`, as written. */
  name: string
  value: Word | null
  /** The name is a whole one and no abbreviation of another. */
  isWhole?: boolean
}

export interface Arguments {
  options: Option[]
  operands: Word[]
  /** How many operands stood before `--`, or null when there was none. */
  beforeDashes: number | null
}

export function longNames(names: string): ReadonlySet<string> {
  return new Set(names.split(' '))
}

const NO_LONG_VALUES: ReadonlySet<string> = new Set()
const SHORTEST_PREFIX = 3

/** Options and operands of a command, options anywhere before `--`. */
export function readArguments(words: readonly Word[], shape: OptionShape): Arguments {
  const args: Arguments = { options: [], operands: [], beforeDashes: null }
  for (let i = 0; i < words.length; i++) {
    const word = words[i]
    if (word === undefined) break
    const { text } = word
    const isOver = args.beforeDashes !== null || (shape.stopsAtOperand === true && args.operands.length > 0)
    if (text.charCodeAt(0) !== 45 || text.length === 1 || isOver) args.operands.push(word)
    else if (text === '--') args.beforeDashes = args.operands.length
    else if (text.charCodeAt(1) === 45) i += readLong(word, words[i + 1], shape, args)
    else i += readBundle(word, words[i + 1], shape, args)
  }
  return args
}

function readLong(word: Word, next: Word | undefined, shape: OptionShape, args: Arguments): 0 | 1 {
  const equals = word.text.indexOf('=')
  const names = shape.longValues ?? NO_LONG_VALUES
  const name = word.text.slice(2, equals < 0 ? undefined : equals)
  const isWhole = names.has(name)
  if (equals > 0) {
    args.options.push({ name: word.text.slice(0, equals), value: restOf(word, equals + 1), isWhole })
    return 0
  }
  if (isWhole) {
    args.options.push({ name: word.text, value: next ?? null, isWhole })
    return 1
  }
  const abbreviates = name.length >= SHORTEST_PREFIX && names.size > 0 && [...names].some(long => long.startsWith(name))
  args.options.push({ name: word.text, value: abbreviates ? (next ?? null) : null })
  // An abbreviation may also be another option's full name: the next word then is judged as an operand too.
  return 0
}

function readBundle(word: Word, next: Word | undefined, shape: OptionShape, args: Arguments): 0 | 1 {
  const { text } = word
  for (let i = 1; i < text.length; i++) {
    const letter = text.charAt(i)
    const isLast = i === text.length - 1
    if (shape.values?.includes(letter)) {
      args.options.push({ name: `-${letter}`, value: isLast ? (next ?? null) : restOf(word, i + 1) })
      return isLast ? 1 : 0
    }
    if (shape.attached?.includes(letter)) {
      args.options.push({ name: `-${letter}`, value: isLast ? null : restOf(word, i + 1) })
      return 0
    }
    args.options.push({ name: `-${letter}`, value: null })
  }
  return 0
}

/** Whether an option as written may mean one of the given ones: long names may be cut short. */
function means({ name, isWhole }: Option, wanted: readonly string[]): boolean {
  if (isWhole || !name.startsWith('--')) return wanted.includes(name)
  return name.length > 2 && wanted.some(one => one.startsWith(name) && one.startsWith('--'))
}

export function hasOption(args: Arguments, wanted: readonly string[]): boolean {
  return args.options.some(option => means(option, wanted))
}

export function optionValues(args: Arguments, wanted: readonly string[]): Word[] {
  return args.options.flatMap(option => (option.value && means(option, wanted) ? [option.value] : []))
}
