import { mayNameSecret } from '../paths/sensitive.ts'
import type { Flag } from '../types.ts'
import { type Arguments, hasOption, longNames, optionValues, readArguments } from './arguments.ts'
import { isSecretName } from './env-names.ts'
import { absolutePath, type Folders } from './folders.ts'
import { changedPaths, WORK_TREE_CHANGES } from './git-changes.ts'
import { GIT_CHANGES, GIT_GLOBAL, GIT_NETWORK, GIT_READ, GIT_RUNS, type GitReadRow, isHarmlessConfig } from './git-table.ts'
import { hostOf } from './hosts.ts'
import type { Call, HostUse, Judge, Judgement, PathUse } from './judgement.ts'
import { judgeGitPatch } from './patches.ts'
import { isStatic, restOf, staticWord, type Word } from './word.ts'

/** git, cut at its subcommand. */
export interface GitCall {
  subcommand: string
  words: readonly Word[]
  /** Folders of `-C`, outermost first. */
  moves: Word[]
  /** A global option that may change what git runs. */
  isBent: boolean
}

export function cutGit(words: readonly Word[]): GitCall {
  const moves: Word[] = []
  let isBent = false
  let i = 0
  for (; i < words.length; i++) {
    const word = words[i]
    if (word === undefined || !word.text.startsWith('-')) break
    if (word.text === '-C') {
      const folder = words[++i]
      if (folder) moves.push(folder)
    } else if (word.text === '-c') isBent = !isHarmlessConfig(words[++i]) || isBent
    else if (SEPARATE_VALUE.has(word.text)) {
      i++
      isBent = true
    } else if (!GIT_GLOBAL.has(word.text)) isBent = true
  }
  return { subcommand: words[i]?.kind === 'static' ? (words[i]?.text ?? '') : '', words: words.slice(i + 1), moves, isBent }
}

const SEPARATE_VALUE = new Set([
  '--git-dir',
  '--work-tree',
  '--namespace',
  '--config-env',
  '--exec-path',
  '--super-prefix',
  '--attr-source',
])

export const judgeGit: Judge = call => {
  const git = cutGit(call.args)
  const folders = movedBy(git.moves, call.folders)
  const moved: PathUse[] = git.moves.length === 0 ? [] : [{ word: staticWord('.'), access: 'list' }]
  const judged = judgeSubcommand(git, { ...call, args: git.words, folders })
  const flags = new Set<Flag>(judged.flags)
  if (git.isBent) flags.add('ambiguous')
  return { ...judged, flags: [...flags], paths: [...moved, ...(judged.paths ?? [])], folders }
}

function movedBy(moves: readonly Word[], folders: Folders): Folders {
  let at = folders
  for (const word of moves) {
    if (word.kind !== 'static') return null
    at =
      at === null ? (word.text.startsWith('/') ? [absolutePath('/', word.text)] : null) : at.map(folder => absolutePath(folder, word.text))
  }
  return at
}

function judgeSubcommand(git: GitCall, call: Call): Judgement {
  const { subcommand } = git
  if (subcommand === '') return { class: 'other', knowsPaths: true }
  if (subcommand === 'config') return judgeConfig(call)
  const row = GIT_READ.get(subcommand)
  const reading = row && judgeReading(row, call)
  if (reading) return reading
  if (!row && !GIT_CHANGES.has(subcommand) && !GIT_NETWORK.has(subcommand))
    return { class: 'other', flags: ['ambiguous'], knowsPaths: false }
  return judgeChange(subcommand, call)
}

function judgeReading(row: GitReadRow, call: Call): Judgement | null {
  const args = readArguments(call.args, row)
  if (row.never && hasOption(args, row.never)) return null
  if (row.only && !args.options.every(option => row.only?.includes(option.name))) return null
  if (row.holds && !row.holds(args, call.args)) return null
  if (call.args.some(word => SHOWS_SIGNATURE.test(word.text))) return null
  if (row.operands === 'none') return { class: 'read-only', knowsPaths: true }
  const isTextGiven = row.textUnless === undefined || hasOption(args, row.textUnless)
  const access = row.operands
  const named = (isTextGiven ? args.operands : args.operands.slice(1)).flatMap(word => pathOf(word))
  const recursive = hasOption(args, row.beyond ?? [])
  const places = recursive && named.length === 0 ? [staticWord('.')] : named
  const paths = places.map((word): PathUse => ({ word, access, ...(recursive && { recursive }) }))
  const ranges = optionValues(args, row.ranges ?? []).map(word => restOf(word, word.text.lastIndexOf(':') + 1))
  const files = [...optionValues(args, row.files ?? []), ...ranges].map((word): PathUse => ({ word, access: 'read' }))
  // A quoted wildcard is git's own, and matches hidden names too.
  const isMasked = access === 'read' && named.some(({ kind, text }) => kind === 'static' && mayNameSecret(text, { showsHidden: true }))
  return { class: 'read-only', paths: [...paths, ...files], ...(isMasked && { flags: ['ambiguous'] }), knowsPaths: true }
}

// Such a placeholder starts the program that the settings name for checking signatures.
const SHOWS_SIGNATURE = /%[+ -]?G|%\(signature/
const REVISION_ONLY = /^(?:HEAD|FETCH_HEAD|ORIG_HEAD|@)(?:[~^@]|$)|^[0-9a-f]{7,40}$|^[^/]*\.\.\.?[^/]*$/

/** The path in `rev:path`, a pathspec, or nothing where the word can only be a revision. */
function pathOf(word: Word): Word[] {
  if (word.kind !== 'static') return [word]
  if (word.text.startsWith(':')) return [staticWord(word.text.replace(/^:(?:\([^)]*\)|[!^/]+|\d:)?/, '') || '.')]
  const colon = word.text.indexOf(':')
  if (colon > 0) return [staticWord(word.text.slice(colon + 1) || '.')]
  return word.text !== '..' && REVISION_ONLY.test(word.text) ? [] : [word]
}

const CONFIG_READS = ['--get', '--get-all', '--get-regexp', '--get-urlmatch', '--get-color', '--get-colorbool', '--list', '-l']
const CONFIG_SHAPE = { values: 'f', longValues: new Set(['file', 'blob', 'type', 'default']) }

function judgeConfig(call: Call): Judgement {
  const args = readArguments(call.args, CONFIG_SHAPE)
  const [first] = args.operands
  const isNewForm = isStatic(first, 'get') || isStatic(first, 'list')
  const reads = isNewForm || hasOption(args, CONFIG_READS)
  const only = args.options.every(({ name }) => CONFIG_READS.includes(name) || CONFIG_ALONGSIDE.has(name))
  const files = optionValues(args, ['-f', '--file'])
  if ((reads || args.operands.length === 1) && only) {
    const keys = args.operands.slice(isNewForm ? 1 : 0).map(word => word.text)
    const secrets = keys.filter(key => [key, ...key.split('.')].some(isSecretName) || /^http\..*extraheader/i.test(key))
    return { class: 'read-only', secrets, paths: files.map(word => ({ word, access: 'read' })), knowsPaths: true }
  }
  const written = files.length > 0 ? files : [staticWord(configFile(args, call))]
  return { class: 'other', paths: written.map(word => ({ word, access: 'write' })), knowsPaths: true }
}

const CONFIG_ALONGSIDE = new Set(
  '--global --system --local --worktree -f --file -z --null --name-only --show-origin --show-scope --type --bool --int --path --includes --all --regexp --default'.split(
    ' ',
  ),
)

function configFile(args: Arguments, call: Call): string {
  if (hasOption(args, ['--global'])) return `${call.facts.home}/.gitconfig`
  return hasOption(args, ['--system']) ? '/etc/gitconfig' : '.git/config'
}

const CHANGE_SHAPE = {
  values: 'mFCcbBuUtxso',
  longValues: longNames(
    'message file author date source branch onto exec output depth reference origin jobs filter separate-git-dir output-directory reason',
  ),
}

function judgeChange(subcommand: string, call: Call): Judgement {
  if (subcommand === 'apply' || subcommand === 'am') return judgeGitPatch(subcommand, call)
  const args = readArguments(call.args, CHANGE_SHAPE)
  const flags: Flag[] = runsPrograms(subcommand, args) || hasStrangeTransport(args) ? ['ambiguous'] : []
  const row = WORK_TREE_CHANGES.get(subcommand)
  const written = optionValues(args, subcommand === 'archive' ? ['--output', '-o'] : ['--output'])
  return {
    class: 'other',
    flags,
    hosts: hostsOf(subcommand, args),
    paths: [...(row ? changedPaths(row, args, call) : []), ...written.map((word): PathUse => ({ word, access: 'create' }))],
    // Operands are revisions, refs and remotes more often than paths outside; only the options are guessed at.
    knowsPaths: row?.knowsPaths === true,
  }
}

function runsPrograms(subcommand: string, args: Arguments): boolean {
  return GIT_RUNS.some(
    row =>
      row.subcommands.split(' ').includes(subcommand) &&
      (row.options === undefined || hasOption(args, row.options)) &&
      (row.operand === undefined || args.operands[0]?.text === row.operand),
  )
}

/** `helper::address` makes git run the helper. */
function hasStrangeTransport(args: Arguments): boolean {
  return args.operands.some(word => /^[\w+.-]+::/.test(word.text))
}

function hostsOf(subcommand: string, args: Arguments): HostUse[] {
  const row = GIT_NETWORK.get(subcommand)
  if (!row || (row.operands && !row.operands.has(args.operands[0]?.text ?? ''))) return []
  const address = args.operands.find(word => word.kind === 'static' && (word.text.includes('://') || /^[\w.-]+@[\w.-]+:/.test(word.text)))
  return [{ verb: row.verb, host: address ? hostOf(address) : '*' }]
}
