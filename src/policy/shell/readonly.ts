import { type Arguments, hasOption, optionValues, readArguments } from './arguments.ts'
import type { Call, Judgement, PathUse } from './judgement.ts'
import type { ReadOnlyRow } from './readonly-table.ts'
import { staticWord, type Word } from './word.ts'

/** Judges a call by its row, or gives null when the row's condition does not hold. */
export function judgeReadOnly(row: ReadOnlyRow, call: Call): Judgement | null {
  const { words, files } = call.name === 'jq' ? jqWords(call.args) : { words: call.args, files: [] }
  const args = readArguments(words, row)
  if (row.never && hasOption(args, row.never)) return null
  if (row.most !== undefined && args.operands.length > row.most) return null
  if (row.holds && !row.holds(args, words)) return null
  return { class: 'read-only', paths: [...files, ...pathsOf(row, args, call)], knowsPaths: true }
}

function pathsOf(row: ReadOnlyRow, args: Arguments, call: Call): PathUse[] {
  const paths: PathUse[] = optionValues(args, row.files ?? []).map(word => ({ word, access: 'read' }))
  if (row.operands === 'none') return paths
  const isTextGiven = row.textUnless === undefined || hasOption(args, row.textUnless)
  const named = isTextGiven ? args.operands : args.operands.slice(1)
  const recursive = row.recursive?.(args) ?? false
  const extra = recursive && row.operands === 'read' ? coverage(call.name ?? '', args) : {}
  const targets = named.length > 0 || call.fed ? named : defaults(row, args, call)
  for (const word of targets) {
    if (word.text === '-' || word.pipe) continue
    paths.push({ word, access: row.operands, ...(recursive && { recursive }), ...extra })
  }
  return paths
}

function defaults(row: ReadOnlyRow, args: Arguments, call: Call): Word[] {
  // ripgrep behind a pipe searches what comes through it.
  if (call.name === 'rg' && call.stdin.kind !== 'none') return []
  return row.hereByDefault?.(args) ? [staticWord('.')] : []
}

const SHOWS_HIDDEN = ['-.', '--hidden', '-u', '--unrestricted']

/** Which names a recursive search passes over, so that a hidden secret below does not forbid the search. */
function coverage(name: string, args: Arguments): Pick<PathUse, 'excludes' | 'only'> {
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

function ripgrepCoverage(args: Arguments): Pick<PathUse, 'excludes' | 'only'> {
  const globs = staticTexts(optionValues(args, ['-g', '--glob', '--iglob']))
  const excludes = globs.filter(glob => glob.startsWith('!')).map(glob => glob.slice(1))
  const only = globs.filter(glob => !glob.startsWith('!') && !glob.includes('/'))
  // A glob that includes hidden names opens them again.
  const skipsHidden = !hasOption(args, SHOWS_HIDDEN) && only.length === 0
  return {
    ...((skipsHidden || excludes.length > 0) && { excludes: [...(skipsHidden ? ['.*', '.*/'] : []), ...excludes] }),
    ...(only.length > 0 && only.length + excludes.length === globs.length && { only }),
  }
}

function staticTexts(words: readonly Word[]): string[] {
  return words.filter(word => word.kind === 'static').map(word => word.text)
}

const NAMED_PAIRS = new Set(['--arg', '--argjson', '--slurpfile', '--rawfile'])

/** Takes out what jq alone does: options with a name and a value, and operands that are no files. */
function jqWords(words: readonly Word[]): { words: Word[]; files: PathUse[] } {
  const kept: Word[] = []
  const files: PathUse[] = []
  for (let i = 0; i < words.length; i++) {
    const word = words[i]
    if (word === undefined) break
    if (word.text === '--args' || word.text === '--jsonargs') {
      // What follows is text; only the filter may still be among it.
      kept.push(...words.slice(i + 1, i + 2))
      break
    }
    if (!NAMED_PAIRS.has(word.text)) {
      kept.push(word)
      continue
    }
    const value = words[i + 2]
    if (value && word.text.endsWith('file')) files.push({ word: value, access: 'read' })
    i += 2
  }
  return { words: kept, files }
}
