import { hasOption, longNames, optionValues, readArguments } from './arguments.ts'
import type { Judge, Judgement, PathUse } from './judgement.ts'
import { environmentIn } from './readonly.ts'
import { isHarmlessSed } from './sed-script.ts'
import { isStatic, restOf, staticWord, type Word } from './word.ts'

const SED_SHAPE = { values: 'efl', attached: 'i', longValues: longNames('expression file line-length') }
const SED_OPTIONS = ['-n', '-E', '-r', '-e', '-s', '-u', '-z', '--quiet', '--silent', '--regexp-extended', '--expression', '--separate']
const SED_SHORT = new Set([...SED_OPTIONS, '--unbuffered', '--null-data', '-i', '--in-place'])
const SED_TEXT = ['-e', '--expression']
const SED_IN_PLACE = ['-i', '--in-place']

export const judgeSed: Judge = call => {
  const args = readArguments(call.args, SED_SHAPE)
  const isInPlace = hasOption(args, SED_IN_PLACE)
  // One implementation takes an empty word behind -i as the suffix; as a script it would do nothing.
  const operands = isInPlace && isStatic(args.operands[0], '') ? args.operands.slice(1) : args.operands
  const given = optionValues(args, SED_TEXT)
  const scriptFiles = optionValues(args, ['-f', '--file'])
  const isScriptGiven = given.length + scriptFiles.length > 0
  const scripts = isScriptGiven ? given : operands.slice(0, 1)
  const files = isScriptGiven ? operands : operands.slice(1)
  const touched = isInPlace ? files.map((word): PathUse => ({ word, access: 'write' })) : reads(files)
  const beyond: Judgement = { class: 'other', paths: [...reads(scriptFiles), ...touched] }
  if (!args.options.every(option => SED_SHORT.has(option.name))) return beyond
  if (scripts.length === 0 || !scripts.every(word => word.kind === 'static')) return beyond
  // A script is no path, however much it looks like one.
  const script = scripts.map(word => word.text).join('\n')
  if (!isHarmlessSed(script, { insert: isInPlace })) return { ...beyond, paths: [...touched, ...filesInSed(script)], knowsPaths: true }
  if (!isInPlace) return { class: 'read-only', paths: touched, knowsPaths: true }
  const suffixes = optionValues(args, SED_IN_PLACE)
  if (suffixes.some(({ kind, text }) => kind !== 'static' || /[/*]/.test(text))) return beyond
  const backups = suffixes.flatMap(suffix => files.map(file => ({ ...file, text: file.text + suffix.text })))
  return { class: 'file-effect', paths: [...touched, ...backups.map((word): PathUse => ({ word, access: 'create' }))], knowsPaths: true }
}

// Where a command begins its name may follow at once; elsewhere a letter without a blank is most likely part of a text.
const SED_FILES = /(?:(?<=^|[;{}\n])|(?<=[\s/|#,!$\dgpIM])(?=\w[ \t]))([wWrR])[ \t]*([^\s;}][^\n]*)/g

/** Files that a script may read or write by a command of its own; a name runs to the end of its line. */
function filesInSed(script: string): PathUse[] {
  return [...script.matchAll(SED_FILES)].map(([, command = '', name = '']) => ({
    word: staticWord(name.trimEnd()),
    access: command.toLowerCase() === 'w' ? 'create' : 'read',
  }))
}

const AWK_SHAPE = { values: 'FvfiE', longValues: longNames('field-separator assign file include exec') }
const AWK_OPTIONS = new Set(['-F', '-v', '--field-separator', '--assign', '--posix', '--sandbox', '--csv'])
// ARGV and ARGC choose files that no operand shows.
const AWK_REACHES_OUT = /[|`@]|system|getline|ENVIRON|ARGV|ARGC/

export const judgeAwk: Judge = call => {
  const args = readArguments(call.args, AWK_SHAPE)
  const programFiles = optionValues(args, ['-f', '--file'])
  const [program, ...rest] = args.operands
  const files = programFiles.length > 0 ? args.operands : rest
  const touched = files.filter(word => !/^[A-Za-z_]\w*=/.test(word.text))
  const isInPlace = optionValues(args, ['-i', '--include']).some(word => word.text === 'inplace')
  const changed = isInPlace ? touched.map((word): PathUse => ({ word, access: 'write' })) : reads(touched)
  const paths = [...reads(programFiles), ...changed]
  const isPlain = program?.kind === 'static' && !AWK_REACHES_OUT.test(program.text) && !awkWrites(program.text)
  if (isPlain && args.options.every(option => AWK_OPTIONS.has(option.name))) return { class: 'read-only', paths, knowsPaths: true }
  const text = programFiles.length > 0 ? '' : (program?.text ?? '')
  return {
    class: 'other',
    paths: [...paths, ...quotedBehind(text, AWK_WRITES).map(create)],
    flags: quotedBehind(text, AWK_RUNS).flatMap(command => call.harmOf(command)),
    secrets: environmentIn(program?.text ?? '', AWK_ENVIRONMENT),
    knowsPaths: programFiles.length === 0,
  }
}

const AWK_WRITES = />>?\s*"((?:[^"\\\n]|\\.)+)"/g
const AWK_RUNS = /(?:\bsystem\s*\(\s*|\|&?\s*)"((?:[^"\\\n]|\\.)+)"/g

/** What a program in quotes names behind a sign or a call. */
function quotedBehind(program: string, pattern: RegExp): string[] {
  return [...program.matchAll(pattern)].flatMap(([, text]) => text ?? [])
}

function create(text: string): PathUse {
  return { word: staticWord(text), access: 'create' }
}

const AWK_ENVIRONMENT = /\bENVIRON\b(?:\s*\[\s*"(?<key>\w+)"\s*\])?/g

/** Whether a print may go into a file. A quote can be part of a regular expression or of a comment, so that with either in the
 *  program nobody can say cheaply what is a string: then every later `>` counts. */
function awkWrites(program: string): boolean {
  const print = program.indexOf('print')
  if (print < 0) return false
  if (/[/#]/.test(program)) return program.includes('>', print)
  // A line end does not end a print: a comma or a backslash before it carries it on.
  return program
    .replace(/"(?:[^"\\\n]|\\[\s\S])*"/g, '""')
    .split(/[;}]/)
    .some(statement => statement.includes('>', Math.max(0, statement.indexOf('print'))) && statement.includes('print'))
}

const XXD_FLAGS = new Set(
  '-a -autoskip -b -bits -C -capitalize -d -e -E -EBCDIC -i -include -p -ps -plain -postscript -u -h -help --help -v -version --version'.split(
    ' ',
  ),
)
const XXD_TAKES_WORD = new Set('-c -cols -g -groupsize -l -len -n -name -o -offset -s -seek -skip -R'.split(' '))
const XXD_ATTACHED = /^-[cglos][+-]?(?:0x)?[0-9a-fA-F]+$/

/** Options are whole words here, so that `-ps` takes no value. */
export const judgeXxd: Judge = call => {
  const operands: Word[] = []
  let isKnown = call.args.every(word => word.kind === 'static')
  for (let i = 0; i < call.args.length; i++) {
    const word = call.args[i]
    if (word === undefined) break
    if (!/^-./.test(word.text)) operands.push(word)
    else if (XXD_TAKES_WORD.has(word.text)) i++
    else if (!XXD_FLAGS.has(word.text) && !XXD_ATTACHED.test(word.text)) isKnown = false
  }
  const [input, output] = operands
  const paths = [...reads(input ? [input] : []), ...(output ? [{ word: output, access: 'create' } satisfies PathUse] : [])]
  return isKnown && operands.length <= 1 ? { class: 'read-only', paths, knowsPaths: true } : { class: 'other', paths }
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
