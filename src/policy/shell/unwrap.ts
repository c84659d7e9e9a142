import type { Flag } from '../types.ts'
import { NAME_VALUE } from './assignments.ts'
import { isStatic, restOf, staticWord, type Word, wordOf } from './word.ts'
import { SHELL_FLAGS, SHELL_LONG, SHELL_SETTINGS, SHELLS, WRAPPERS, type WrapperRow, XARGS } from './wrapper-table.ts'

/** What came off, and what is left. */
export type Unwrapped =
  | { kind: 'command'; inner: Word[]; transparent: boolean; flags: Flag[]; assigned: Word[]; own: Word[] }
  | { kind: 'script'; text: Word; transparent: boolean; flags: Flag[]; own: Word[] }
  /** A shell without a text of its own. */
  | { kind: 'shell'; script: Word | null; flags: Flag[]; own: Word[] }

/** Takes one wrapper off, or gives null when the command is none. */
export function unwrap(base: string, argv: readonly Word[]): Unwrapped | null {
  if (SHELLS.has(base)) return unwrapShell(argv)
  if (base === 'eval') return unwrapEval(argv)
  const row = WRAPPERS.get(base)
  return row ? unwrapBy(row, argv) : null
}

interface Taken {
  /** Offset of the first word behind the options. */
  at: number
  isKnown: boolean
  isInstead: boolean
  values: Map<string, Word>
}

/** Reads a wrapper's own options, up to its first operand. */
function takeOptions(argv: readonly Word[], row: WrapperRow): Taken {
  const taken: Taken = { at: 1, isKnown: true, isInstead: false, values: new Map() }
  for (; taken.at < argv.length; taken.at++) {
    const word = argv[taken.at]
    if (word === undefined || !word.text.startsWith('-') || word.text === '-') break
    if (word.text === '--') {
      taken.at++
      break
    }
    if (word.text.startsWith('--')) takeLong(word, argv, row, taken)
    else takeShort(word, argv, row, taken)
  }
  return taken
}

function takeLong(word: Word, argv: readonly Word[], row: WrapperRow, taken: Taken): void {
  const equals = word.text.indexOf('=')
  const name = equals < 0 ? word.text.slice(2) : word.text.slice(2, equals)
  if (row.longValues?.has(name)) {
    const value = equals < 0 ? argv[++taken.at] : restOf(word, equals + 1)
    if (value) taken.values.set(`--${name}`, value)
  } else if (row.longDoubtful?.has(name)) {
    taken.isKnown = false
    if (equals < 0) taken.at++
  } else if (!row.longFlags?.has(name)) taken.isKnown = false
  else if (equals > 0) taken.values.set(`--${name}`, restOf(word, equals + 1))
}

function takeShort(word: Word, argv: readonly Word[], row: WrapperRow, taken: Taken): void {
  for (let i = 1; i < word.text.length; i++) {
    const letter = word.text.charAt(i)
    if (row.instead?.includes(letter)) taken.isInstead = true
    else if (row.attached?.includes(letter)) {
      taken.values.set(`-${letter}`, restOf(word, i + 1))
      return
    } else if (row.doubtful?.includes(letter)) {
      taken.isKnown = false
      if (i === word.text.length - 1) taken.at++
      return
    } else if (row.values?.includes(letter)) {
      const isLast = i === word.text.length - 1
      const value = isLast ? argv[++taken.at] : restOf(word, i + 1)
      if (value) taken.values.set(`-${letter}`, value)
      return
    } else if (!row.flags?.includes(letter)) taken.isKnown = false
  }
}

function unwrapBy(row: WrapperRow, argv: readonly Word[]): Unwrapped | null {
  const taken = takeOptions(argv, row)
  if (taken.isInstead) return null
  const flags: Flag[] = row.treatment === 'privileged' ? ['privileged'] : []
  if (!taken.isKnown) flags.push('ambiguous')
  const script = valueOf(taken, row.script) ?? laterScript(argv, taken.at, row.script)
  if (script) return { kind: 'script', text: script, transparent: false, flags, own: argv.filter(word => word !== script) }
  const split = valueOf(taken, row.splits)
  if (split) return splitAgain(split, argv, taken.at, flags)
  let at = taken.at
  // A lone dash means an empty environment to env and a login to su.
  if (isStatic(argv[at], '-') && (row.assigns || row.script)) at++
  at += row.operands ?? 0
  const assigned: Word[] = []
  for (let word = argv[at]; row.assigns && word && NAME_VALUE.test(word.text); word = argv[++at]) assigned.push(word)
  const inner = argv.slice(at)
  if (inner.length === 0) return null
  const own = argv.slice(0, at).filter(word => !assigned.includes(word) || word.splits === true)
  return { kind: 'command', inner, transparent: row.treatment === 'transparent', flags, assigned, own }
}

function valueOf(taken: Taken, names: readonly string[] | undefined): Word | undefined {
  return names?.map(name => taken.values.get(name)).find(value => value !== undefined)
}

/** Some look for their options behind the user's name too. */
function laterScript(argv: readonly Word[], from: number, names: readonly string[] | undefined): Word | undefined {
  const at = names === undefined ? -1 : argv.findIndex((word, i) => i >= from && names.includes(word.text))
  return at < 0 ? undefined : argv[at + 1]
}

/** `env -S`: the text becomes further words of the same env. Quotes and variables in it follow rules of their own. */
function splitAgain(text: Word, argv: readonly Word[], at: number, flags: Flag[]): Unwrapped {
  const isPlain = text.kind === 'static' && !/[\\'"$#]/.test(text.text)
  const words = text.text.split(/\s+/).filter(word => word !== '')
  const inner = [staticWord('env'), ...words.map(word => wordOf(word, text.kind)), ...argv.slice(at)]
  return { kind: 'command', inner, transparent: false, flags: isPlain ? flags : [...flags, 'ambiguous'], assigned: [], own: [] }
}

function unwrapEval(argv: readonly Word[]): Unwrapped | null {
  const words = isStatic(argv[1], '--') ? argv.slice(2) : argv.slice(1)
  if (words.length === 0) return null
  const dynamic = words.find(word => word.kind !== 'static')
  const text = words.map(word => word.text).join(' ')
  return { kind: 'script', text: { text, kind: dynamic ? 'dynamic' : 'static' }, transparent: true, flags: [], own: [] }
}

function unwrapShell(argv: readonly Word[]): Unwrapped {
  const flags = new Set<Flag>()
  let hasText = false
  let readsInput = false
  let at = 1
  for (; at < argv.length; at++) {
    const text = argv[at]?.text ?? ''
    if (!/^[-+]./.test(text)) break
    if (text === '--' || text === '-') {
      at++
      break
    }
    if (text.startsWith('--')) {
      if (!SHELL_LONG.has(text.slice(2))) flags.add('ambiguous')
      continue
    }
    if (text.includes('c') && text.startsWith('-')) hasText = true
    const letters = text.slice(1).split('')
    if (letters.includes('s')) readsInput = true
    if (letters.includes('o') && !SHELL_SETTINGS.has(argv[++at]?.text ?? '')) flags.add('ambiguous')
    if (letters.some(letter => letter !== 'o' && !SHELL_FLAGS.includes(letter))) flags.add('ambiguous')
  }
  const own = argv.slice(0, at)
  const operand = argv[at]
  if (hasText && operand)
    return {
      kind: 'script',
      text: operand,
      transparent: true,
      flags: [...flags],
      own,
    }
  return { kind: 'shell', script: readsInput ? null : (operand ?? null), flags: [...flags], own }
}

export interface Xargs {
  inner: Word[]
  flags: Flag[]
  own: Word[]
  file: Word | undefined
}

/** `xargs`, with the words it fills in marked as fed. */
export function unwrapXargs(argv: readonly Word[]): Xargs {
  const taken = takeOptions(argv, XARGS)
  const command = argv.slice(taken.at)
  const placeholder = placeholderOf(argv.slice(0, taken.at), taken)
  const fed: Word = { text: '{}', kind: 'dynamic', splits: true, fed: true }
  const inner = command.length === 0 ? [staticWord('echo')] : command
  return {
    inner: placeholder
      ? inner.map(word => (word.text.includes(placeholder) ? { ...word, kind: 'dynamic', fed: true } : word))
      : [...inner, fed],
    flags: taken.isKnown ? [] : ['ambiguous'],
    own: argv.slice(0, taken.at),
    file: taken.values.get('-a') ?? taken.values.get('--arg-file'),
  }
}

function placeholderOf(own: readonly Word[], taken: Taken): string | null {
  const given = taken.values.get('-I') ?? taken.values.get('-J') ?? taken.values.get('-i') ?? taken.values.get('--replace')
  if (given && given.text !== '') return given.text
  return own.some(word => word.text === '--replace' || /^-[0rtpxo]*i$/.test(word.text)) ? '{}' : null
}
