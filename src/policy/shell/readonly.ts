import { type Arguments, hasOption, optionValues, readArguments } from './arguments.ts'
import { isSecretName } from './env-names.ts'
import type { Call, Judgement, PathUse } from './judgement.ts'
import type { ReadOnlyRow } from './readonly-table.ts'
import { staticWord, type Word } from './word.ts'

/** Judges a call by its row. Where the row's condition does not hold the files are still known, and no more than that. */
export function judgeReadOnly(row: ReadOnlyRow, call: Call): Judgement {
  const { words, files, secrets } = call.base === 'jq' ? jqWords(call.args) : { words: call.args, files: [], secrets: [] }
  const args = readArguments(words, row)
  const paths = [...files, ...pathsOf(row, args, call)]
  const onlyLooks =
    !(row.never && hasOption(args, row.never)) &&
    (row.most === undefined || args.operands.length <= row.most) &&
    (row.holds === undefined || row.holds(args, words))
  if (onlyLooks) return { class: 'read-only', paths, knowsPaths: true }
  const written = optionValues(args, row.writes ?? []).map((word): PathUse => ({ word, access: 'create' }))
  return { class: 'other', paths: [...paths, ...written], secrets }
}

function pathsOf(row: ReadOnlyRow, args: Arguments, call: Call): PathUse[] {
  const paths: PathUse[] = optionValues(args, row.files ?? []).map(word => ({ word, access: 'read' }))
  if (row.operands === 'none') return paths
  const isTextGiven = row.textUnless === undefined || hasOption(args, row.textUnless)
  const named = isTextGiven ? args.operands : args.operands.slice(1)
  const recursive = row.recursive?.(args) ?? false
  const access = row.onlyNames && hasOption(args, row.onlyNames) ? 'list' : row.operands
  const extra = recursive && access === 'read' ? coverage(call.name ?? '', args) : {}
  const targets = named.length > 0 || call.fed ? named : defaults(row, args, call)
  for (const [i, word] of targets.entries()) {
    if (word.text === '-' || word.pipe) continue
    // Beyond the most that it reads, an operand is what it writes.
    const isOutput = row.most !== undefined && i >= row.most
    paths.push(isOutput ? { word, access: 'create' } : { word, access, ...(recursive && { recursive }), ...extra })
  }
  return paths
}

function defaults(row: ReadOnlyRow, args: Arguments, call: Call): Word[] {
  // ripgrep behind a pipe searches what comes through it.
  if (call.name === 'rg' && call.stdin.kind !== 'none') return []
  return row.hereByDefault?.(args) ? [staticWord('.')] : []
}

const SHOWS_HIDDEN = ['-.', '--hidden', '-u', '--unrestricted']
const SHOWS_IGNORED = ['-u', '--unrestricted']

type Coverage = Pick<PathUse, 'excludes' | 'only' | 'skipsIgnored'>

/** Which names a recursive search passes over, so that a hidden secret below does not forbid the search. */
function coverage(name: string, args: Arguments): Coverage {
  if (name === 'rg') return ripgrepCoverage(args)
  const excludes = [
    ...staticTexts(optionValues(args, ['--exclude'])),
    ...staticTexts(optionValues(args, ['--exclude-dir'])).map(folder => `${folder}/`),
  ]
  const only = staticTexts(optionValues(args, ['--include']))
  // Where both are given the last match wins, which a list cannot say.
  if (excludes.length > 0 && only.length > 0) return {}
  return { ...(excludes.length > 0 && { excludes }), ...(only.length > 0 && { only }) }
}

function ripgrepCoverage(args: Arguments): Coverage {
  const globs = staticTexts(optionValues(args, ['-g', '--glob', '--iglob']))
  const excludes = globs.filter(glob => glob.startsWith('!')).map(glob => glob.slice(1))
  const only = globs.filter(glob => !glob.startsWith('!') && !glob.includes('/'))
  // A glob that includes hidden names opens them again.
  const skipsHidden = !hasOption(args, SHOWS_HIDDEN) && only.length === 0
  // A glob that names files brings ignored ones back.
  const showsIgnored = hasOption(args, SHOWS_IGNORED) || args.options.some(({ name }) => name.startsWith('--no-ig')) || only.length > 0
  return {
    ...(!showsIgnored && { skipsIgnored: true }),
    ...((skipsHidden || excludes.length > 0) && { excludes: [...(skipsHidden ? ['.*', '.*/'] : []), ...excludes] }),
    ...(only.length > 0 && only.length + excludes.length === globs.length && { only }),
  }
}

function staticTexts(words: readonly Word[]): string[] {
  return words.filter(word => word.kind === 'static').map(word => word.text)
}

const NAMED_PAIRS = new Set(['--arg', '--argjson', '--slurpfile', '--rawfile'])

const JQ_TAKES_WORD = /^(?:-[A-Za-z]*[fL]|--from-file|--indent)$/

interface JqWords {
  words: Word[]
  files: PathUse[]
  secrets: string[]
}

/** Takes out what jq alone does: options with a name and a value, and operands that are no files. */
function jqWords(words: readonly Word[]): JqWords {
  const kept: Word[] = []
  const files: PathUse[] = []
  let operandsAreText = false
  let operands = 0
  for (let i = 0; i < words.length; i++) {
    const word = words[i]
    if (word === undefined) break
    if (word.text === '--args' || word.text === '--jsonargs') operandsAreText = true
    else if (NAMED_PAIRS.has(word.text)) {
      const value = words[i + 2]
      if (value && word.text.endsWith('file')) files.push({ word: value, access: 'read' })
      i += 2
    } else if (JQ_TAKES_WORD.test(word.text)) kept.push(word, ...words.slice(++i, i + 1))
    else if (word.text.startsWith('-') && word.text !== '-') kept.push(word)
    // Behind --args only the filter is still no text; options stay options.
    else if (operands++ === 0 || !operandsAreText) kept.push(word)
  }
  return { words: kept, files, secrets: kept.flatMap(({ text }) => environmentIn(text, JQ_ENVIRONMENT)) }
}

// A field that is called env, as in `.env`, is none of the shell's.
const JQ_ENVIRONMENT = /(?:\$ENV|(?<![.\w$"'-])env)\b(?:\s*\.\s*(?<name>[A-Za-z_]\w*)|\s*\[\s*"(?<key>\w+)"\s*\])?/g

/** The secret variables that a program text names, or `*` where it takes the environment as a whole. */
export function environmentIn(text: string, form: RegExp): string[] {
  return [...text.matchAll(form)].flatMap(({ groups }) => {
    const name = groups?.['name'] ?? groups?.['key']
    return name === undefined ? ['*'] : isSecretName(name) ? [name] : []
  })
}
