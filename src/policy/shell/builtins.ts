import type { Flag } from '../types.ts'
import { hasOption, readArguments } from './arguments.ts'
import { isSecretName, overridesBehaviour } from './env-names.ts'
import { absolutePath, type Folders, joined, logicalPath } from './folders.ts'
import type { Judge, Judgement } from './judgement.ts'
import { staticWord, type Word } from './word.ts'

const HARMLESS: Judgement = { class: 'read-only', knowsPaths: true }
const TOLERANT: Judgement = { class: 'read-only', knowsPaths: true, toleratesDynamic: true }

const printsAll: Judgement = { class: 'read-only', secrets: ['*'], knowsPaths: true }
const unknown = (reason: string): Judgement => ({ class: 'other', unknown: reason })

const judgePrintf: Judge = ({ args }) => {
  const [first] = args
  if (first?.text.startsWith('-v')) return unknown('printf -v')
  // An unquoted expansion, or a file of that name, could become the option that assigns.
  return first?.splits || first?.kind === 'glob' ? HARMLESS : TOLERANT
}

const BETWEEN = new Set(['=', '==', '!=', '<', '>', '-eq', '-ne', '-lt', '-le', '-gt', '-ge', '-nt', '-ot', '-ef'])
const BEFORE = /^-[abcdefghknprstuwxzGLNOS]$/

/** A dynamic word in a test may itself become an operator that evaluates a subscript, unless its neighbours pin its place. */
const judgeTest: Judge = ({ args }) => {
  if (args.some(word => word.text === '-v' || word.text === '-R')) return unknown('test -v')
  const operands = args.at(-1)?.text === ']' ? args.slice(0, -1) : args
  const isPinned = (word: Word, i: number): boolean =>
    word.kind === 'static' ||
    (word.kind === 'dynamic' &&
      !word.splits &&
      (operands.length === 1 ||
        BETWEEN.has(operands[i + 1]?.text ?? '') ||
        BETWEEN.has(operands[i - 1]?.text ?? '') ||
        BEFORE.test(operands[i - 1]?.text ?? '')))
  return operands.every(isPinned) ? TOLERANT : HARMLESS
}

const judgeCd: Judge = call => {
  const args = readArguments(call.args, {})
  const target = args.operands[0] ?? staticWord(call.facts.home)
  const isPhysical = hasOption(args, ['-P'])
  const isKnown = target.kind === 'static' && target.text !== '-' && target.text !== '' && args.operands.length <= 1
  const movesTo = (folders: Folders): Folders => {
    if (!isKnown) return null
    if (folders === null) return target.text.startsWith('/') ? [logicalPath('/', target.text)] : null
    const reached = folders.map(folder => (isPhysical ? absolutePath(folder, target.text) : logicalPath(folder, target.text)))
    return joined([], reached)
  }
  return { class: 'read-only', paths: isKnown ? [{ word: target, access: 'list' }] : [], movesTo, knowsPaths: true }
}

const judgeStack: Judge = ({ args }) => ({
  class: 'read-only',
  paths: args.filter(word => !/^[-+]/.test(word.text)).map(word => ({ word, access: 'list' })),
  movesTo: () => null,
  knowsPaths: true,
})

const NAME = /^[A-Za-z_]\w*(?=$|\+?=)/

function assigns(words: readonly Word[]): Judgement {
  const flags: Flag[] = []
  for (const { text } of words) {
    const name = NAME.exec(text)?.[0]
    if (name === undefined && !text.startsWith('-')) return unknown('assignment to an array element')
    if (name !== undefined && overridesBehaviour(name)) flags.push('env-override')
  }
  // Values are looked at where they are used.
  return { class: 'read-only', flags, knowsPaths: true, toleratesDynamic: words.every(word => !word.splits || NAME.test(word.text)) }
}

/** `export`, `readonly`, `local`: without a name they print what is set. */
const judgeExport: Judge = ({ args, base }) => {
  const names = args.filter(word => !word.text.startsWith('-'))
  const options = args.filter(word => word.text.startsWith('-'))
  if (base === 'local' && args.length === 0) return HARMLESS
  if (names.length === 0) return printsAll
  return options.every(word => word.text === '--' || word.text === '-r' || word.text === '-x')
    ? assigns(names)
    : unknown(`${base} with options`)
}

const judgeDeclare: Judge = ({ args, base }) => {
  const options = args.filter(word => /^[-+]/.test(word.text))
  const names = args.filter(word => !/^[-+]/.test(word.text))
  const prints = options.some(word => /^-\w*[pf]/i.test(word.text))
  if (prints) return names.length > 0 && names.every(word => word.kind === 'static' && !isSecretName(word.text)) ? HARMLESS : printsAll
  if (names.length === 0) return printsAll
  // Integers are computed, arrays and references have subscripts.
  return options.every(word => /^[-+][grxlu]+$/.test(word.text)) ? assigns(names) : unknown(`${base} with options`)
}

const SET_OPTIONS = /^[-+][euxvfC]*o?$/
const SET_NAMES = new Set(['errexit', 'nounset', 'pipefail', 'xtrace', 'verbose', 'noglob', 'noclobber', 'posix'])

const judgeSet: Judge = ({ args }) => {
  if (args.length === 0) return printsAll
  const isKnown = args.every(
    (word, i) => SET_OPTIONS.test(word.text) || (args[i - 1]?.text.endsWith('o') === true && SET_NAMES.has(word.text)),
  )
  return isKnown ? HARMLESS : unknown('set with operands')
}

const judgeRead: Judge = ({ args }) => {
  const { options, operands } = readArguments(args, { values: 'dinNptuae' })
  if (options.some(({ name }) => name === '-a' || name === '-e')) return unknown('array')
  return operands.length === 0 ? HARMLESS : assigns(operands)
}

const judgeUnset: Judge = ({ args }) => {
  const names = args.filter(word => !/^-[fvn]+$/.test(word.text))
  return names.length === 0 ? HARMLESS : assigns(names)
}

// It can put a number into a variable, whose subscript would be evaluated.
const judgeWait: Judge = ({ args }) => (args.some(word => word.text.startsWith('-')) ? unknown('wait with options') : HARMLESS)

const judgePrintenv: Judge = ({ args }) => {
  const names = args.filter(word => !word.text.startsWith('-'))
  const secrets = names.filter(word => word.kind !== 'static' || isSecretName(word.text)).map(word => word.text)
  return names.length === 0 ? printsAll : { class: 'read-only', secrets, knowsPaths: true }
}

/** Reached only when no command follows: then it prints everything. */
const judgeEnv: Judge = () => printsAll

const judgeCompgen: Judge = ({ args }) =>
  args.some(word => /^-\w*[vAFCe]/.test(word.text)) ? { ...printsAll, class: 'other' } : { class: 'other' }

const judgeCommandQuery: Judge = ({ args }) => (/^-p?vp?$/.test(args[0]?.text ?? '') ? HARMLESS : { class: 'other' })

const judgeExec: Judge = () => unknown('exec without a command')

function refuse(names: string): [string, Judge][] {
  return names.split(' ').map(name => [name, () => unknown(name)])
}

export const BUILTINS: ReadonlyMap<string, Judge> = new Map<string, Judge>([
  ...['echo', 'true', 'false', ':', '[['].map((name): [string, Judge] => [name, () => TOLERANT]),
  ['printf', judgePrintf],
  ['test', judgeTest],
  ['[', judgeTest],
  ['cd', judgeCd],
  ['pushd', judgeStack],
  ['popd', judgeStack],
  ...['export', 'readonly', 'local'].map((name): [string, Judge] => [name, judgeExport]),
  ['declare', judgeDeclare],
  ['typeset', judgeDeclare],
  ['set', judgeSet],
  ['read', judgeRead],
  ['unset', judgeUnset],
  ['wait', judgeWait],
  ['printenv', judgePrintenv],
  ['env', judgeEnv],
  ['compgen', judgeCompgen],
  ['command', judgeCommandQuery],
  ['exec', judgeExec],
  // They only steer the shell they stand in.
  ...['exit', 'return', 'break', 'continue', 'shift'].map((name): [string, Judge] => [name, () => HARMLESS]),
  // They change how the rest of the text is read.
  ...refuse(
    'source . trap alias unalias enable let shopt hash bind complete compopt mapfile readarray getopts coproc select function logout suspend',
  ),
])
