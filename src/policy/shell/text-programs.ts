import { hasOption, longNames, optionValues, readArguments } from './arguments.ts'
import type { Judge, Judgement, PathUse } from './judgement.ts'
import { isHarmlessSed } from './sed-script.ts'
import { isStatic, restOf, staticWord, type Word } from './word.ts'

const OTHER: Judgement = { class: 'other' }

const SED_SHAPE = { values: 'efl', attached: 'i', longValues: longNames('expression file line-length') }
const SED_OPTIONS = ['-n', '-E', '-r', '-e', '-s', '-u', '-z', '--quiet', '--silent', '--regexp-extended', '--expression', '--separate']
const SED_SHORT = new Set([...SED_OPTIONS, '--unbuffered', '--null-data', '-i', '--in-place'])
const SED_TEXT = ['-e', '--expression']
const SED_IN_PLACE = ['-i', '--in-place']

export const judgeSed: Judge = call => {
  const args = readArguments(call.args, SED_SHAPE)
  if (!args.options.every(option => SED_SHORT.has(option.name))) return OTHER
  const isInPlace = hasOption(args, SED_IN_PLACE)
  // One implementation takes an empty word behind -i as the suffix; as a script it would do nothing.
  const operands = isInPlace && isStatic(args.operands[0], '') ? args.operands.slice(1) : args.operands
  const given = optionValues(args, SED_TEXT)
  const scripts = given.length > 0 ? given : operands.slice(0, 1)
  const files = given.length > 0 ? operands : operands.slice(1)
  if (scripts.length === 0 || !scripts.every(word => word.kind === 'static')) return OTHER
  if (!isHarmlessSed(scripts.map(word => word.text).join('\n'), { insert: isInPlace })) return OTHER
  if (!isInPlace) return { class: 'read-only', paths: reads(files), knowsPaths: true }
  const suffixes = optionValues(args, SED_IN_PLACE)
  if (suffixes.some(({ kind, text }) => kind !== 'static' || /[/*]/.test(text))) return OTHER
  const backups = suffixes.flatMap(suffix => files.map(file => ({ ...file, text: file.text + suffix.text })))
  return {
    class: 'file-effect',
    paths: [...files.map((word): PathUse => ({ word, access: 'write' })), ...backups.map((word): PathUse => ({ word, access: 'create' }))],
    knowsPaths: true,
  }
}

const AWK_SHAPE = { values: 'Fv', longValues: longNames('field-separator assign') }
const AWK_OPTIONS = new Set(['-F', '-v', '--field-separator', '--assign', '--posix', '--sandbox', '--csv'])
// ARGV and ARGC choose files that no operand shows.
const AWK_REACHES_OUT = /[|`@]|system|getline|ENVIRON|ARGV|ARGC/

export const judgeAwk: Judge = call => {
  const args = readArguments(call.args, AWK_SHAPE)
  const [program, ...files] = args.operands
  if (!args.options.every(option => AWK_OPTIONS.has(option.name))) return OTHER
  if (program?.kind !== 'static' || AWK_REACHES_OUT.test(program.text) || awkWrites(program.text)) return OTHER
  const named = files.filter(word => !/^[A-Za-z_]\w*=/.test(word.text))
  return { class: 'read-only', paths: reads(named), knowsPaths: true }
}

/** Whether a print may go into a file. A quote can be part of a regular expression or of a comment, so that with either in the
 *  program nobody can say cheaply what is a string: then every later `>` counts. */
function awkWrites(program: string): boolean {
  const print = program.indexOf('print')
  if (print < 0) return false
  if (/[/#]/.test(program)) return program.includes('>', print)
  return program
    .replace(/"(?:[^"\\\n]|\\[\s\S])*"/g, '""')
    .split(/[;}\n]/)
    .some(statement => statement.includes('>', Math.max(0, statement.indexOf('print'))) && statement.includes('print'))
}

const TAR_SHAPE = { values: 'fC', longValues: longNames('file directory') }
const TAR_OPTIONS = new Set(['-t', '-f', '-v', '-z', '-j', '-J', '--list', '--file', '--verbose', '--gzip', '--bzip2', '--xz'])

/** Listing an archive; the first word may be a bundle without a dash. */
export const judgeTar: Judge = call => {
  const [first, ...rest] = call.args
  const words = first?.kind === 'static' && /^[A-Za-z]+$/.test(first.text) ? [staticWord(`-${first.text}`), ...rest] : call.args
  const args = readArguments(words, TAR_SHAPE)
  const lists = hasOption(args, ['-t', '--list']) && args.options.every(option => TAR_OPTIONS.has(option.name))
  // An archive name with a colon is a remote machine to tar, which it reaches by a program of its own choice.
  const archives = optionValues(args, ['-f', '--file'])
  if (!lists || archives.some(word => word.text.includes(':'))) return OTHER
  return { class: 'read-only', paths: reads(archives), knowsPaths: true }
}

export const judgeUnzip: Judge = call => {
  const args = readArguments(call.args, {})
  const lists = call.name === 'zipinfo' || (hasOption(args, ['-l']) && args.options.every(({ name }) => name === '-l' || name === '-v'))
  return lists ? { class: 'read-only', paths: reads(args.operands.slice(0, 1)), knowsPaths: true } : OTHER
}

/** `dd` writes its words as assignments. */
export const judgeDd: Judge = call => {
  const values = (name: string): Word[] => call.args.filter(word => word.text.startsWith(name)).map(word => restOf(word, name.length))
  return {
    class: 'other',
    paths: [...reads(values('if=')), ...values('of=').map((word): PathUse => ({ word, access: 'create' }))],
    knowsPaths: true,
  }
}

function reads(words: readonly Word[]): PathUse[] {
  return words.filter(word => word.text !== '-' && !word.pipe).map(word => ({ word, access: 'read' }))
}
