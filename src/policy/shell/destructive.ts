import type { Flag } from '../types.ts'
import { type Arguments, hasOption, longNames, readArguments } from './arguments.ts'
import { DESTRUCTIVE, type DestructiveRow, GIT_DESTRUCTIVE, type GitDestructiveRow } from './destructive-table.ts'
import { absolutePath, isBelow, logicalPath } from './folders.ts'
import { cutGit } from './git.ts'
import type { Call } from './judgement.ts'
import type { Word } from './word.ts'
import { SHELLS, WRAPPERS } from './wrapper-table.ts'

function byName<Row>(rows: readonly Row[], names: (row: Row) => string): ReadonlyMap<string, readonly Row[]> {
  const map = new Map<string, Row[]>()
  for (const row of rows) for (const name of names(row).split(' ')) map.set(name, [...(map.get(name) ?? []), row])
  return map
}

const ROWS = byName(DESTRUCTIVE, (row: DestructiveRow) => row.programs)
const GIT_ROWS = byName(GIT_DESTRUCTIVE, (row: GitDestructiveRow) => row.subcommands)

/** Whether a word is the name of a program that can destroy, or of one that starts such a program. */
export function canHarm(word: string): boolean {
  const name = word.slice(word.lastIndexOf('/') + 1)
  return name === 'git' || name === 'find' || WIPERS.has(name) || ROWS.has(name) || SHELLS.has(name) || WRAPPERS.has(name)
}

/** What a call destroys, whatever file its program really is. */
export function destructiveFlags(call: Call): Flag[] {
  if (call.base === 'git') return gitDestroys(call) ? ['destructive'] : []
  if (call.base.startsWith('mkfs')) return ['catastrophic']
  const own = WIPERS.get(call.base)?.(call) ?? []
  const rows = ROWS.get(call.base)
  if (!rows) return own
  return [...own, ...rows.filter(row => hits(row, readArguments(call.args, row), call)).map(row => row.harm)]
}

function hits(row: DestructiveRow, args: Arguments, call: Call): boolean {
  return (
    (row.options === undefined || hasOption(args, row.options)) &&
    (row.starts === undefined || row.starts.includes(args.operands[0]?.text ?? '')) &&
    (row.operand === undefined || args.operands.some(word => row.operand?.test(word.text))) &&
    (row.when === undefined || row.when(args, call))
  )
}

const TREE_SHAPE = { longValues: longNames('reference target-directory suffix') }
const RECURSIVE = ['-r', '-R', '--recursive']

/** Programs that take whole trees: grave when the tree is one that everything else stands on. */
const WIPERS: ReadonlyMap<string, (call: Call) => Flag[]> = new Map([
  ['rm', call => removes(call)],
  ['chmod', call => changesTree(call, 1)],
  ['chown', call => changesTree(call, 1)],
  ['chgrp', call => changesTree(call, 1)],
  ['mv', call => graveFlags(readArguments(call.args, { values: 'tS', ...TREE_SHAPE }).operands.slice(0, -1), call)],
])

function removes(call: Call): Flag[] {
  const args = readArguments(call.args, {})
  if (call.fed) return ['destructive', ...(hasOption(args, RECURSIVE) ? graveFlags(args.operands, call) : [])]
  if (!hasOption(args, RECURSIVE)) return []
  const isOwn = args.operands.length > 0 && args.operands.every(word => wasCreatedByRun(word, call))
  return isOwn ? [] : ['destructive', ...graveFlags(args.operands, call)]
}

function changesTree(call: Call, skipped: number): Flag[] {
  const args = readArguments(call.args, TREE_SHAPE)
  return hasOption(args, RECURSIVE) ? graveFlags(args.operands.slice(hasOption(args, ['--reference']) ? 0 : skipped), call) : []
}

function wasCreatedByRun(word: Word, { folders, facts }: Pick<Call, 'folders' | 'facts'>): boolean {
  if (word.kind !== 'static' || folders === null) return false
  return folders.every(folder => {
    const path = absolutePath(folder, word.text)
    // Through `..` or a link the text may lead out of what the run made.
    if (path !== logicalPath('/', path)) return false
    const real = facts.paths[path]?.real ?? path
    return facts.createdByRun.some(own => isBelow(path, own) && isBelow(real, own))
  })
}

const SYSTEM_FOLDERS = new Set(
  (
    'bin boot dev etc home lib lib32 lib64 libx32 media mnt opt proc root run sbin srv sys tmp usr var ' +
    'Applications Library System Users Volumes private cores nix snap'
  ).split(' '),
)

export function graveFlags(words: readonly Word[], call: Call): Flag[] {
  return words.some(word => isGrave(word, call)) ? ['catastrophic'] : []
}

function isGrave(word: Word, { folders, start, facts }: Call): boolean {
  if (word.kind === 'dynamic') return false
  // All that is in a folder is as grave as the folder.
  const text = word.kind === 'glob' ? word.text.replace(/(?:^|\/)[.*?[\]!]*\*[.*?[\]!]*\/?$/, '/') : word.text
  // A pattern right below the top can match any system folder.
  if (/[*?[]/.test(text) && word.kind === 'glob') return /^\/+[^/]*\/?$/.test(text)
  const isAbsolute = word.text.startsWith('/')
  // Where the shell stands is unknown; that it never moved is the worst case.
  const starts = isAbsolute ? ['/'] : (folders ?? [start])
  return starts.some(folder => isGravePath(logicalPath(folder, text === '/' && !isAbsolute ? '.' : text), facts))
}

function isGravePath(path: string, facts: Call['facts']): boolean {
  const parts = path.split('/')
  if (path === '/' || parts.at(-1)?.toLowerCase() === '.git') return true
  if (parts.length === 2 && SYSTEM_FOLDERS.has(parts[1] ?? '')) return true
  return isBelow(facts.home, path) || facts.roots.some(root => isBelow(root.path, path) || isBelow(root.real, path))
}

const GIT_SHAPE = { values: 'mFCcbBuUtxo', longValues: longNames('message file author date source branch onto exec output track orphan') }

function gitDestroys(call: Call): boolean {
  const { subcommand, words, moves } = cutGit(call.args)
  const args = readArguments(words, shapeOf(subcommand))
  if ((GIT_ROWS.get(subcommand) ?? []).some(row => gitHits(row, args, words))) return true
  if (subcommand === 'rebase' || (subcommand === 'commit' && hasOption(args, ['--amend']))) return !isOnOwnBranch(call)
  return subcommand === 'checkout' && moves.length === 0 && args.operands.some(word => existsAsPath(word, call))
}

// The same letters are flags in some subcommands and take a value in others.
const FLAGS_ONLY = new Set(['push', 'reset', 'clean', 'branch', 'tag', 'switch', 'update-ref', 'worktree', 'gc', 'stash', 'reflog'])

function shapeOf(subcommand: string): typeof GIT_SHAPE | Record<string, never> {
  return FLAGS_ONLY.has(subcommand) ? {} : GIT_SHAPE
}

function gitHits(row: GitDestructiveRow, args: Arguments, words: readonly Word[]): boolean {
  return (
    (row.options === undefined || hasOption(args, row.options)) &&
    (row.unless === undefined || !hasOption(args, row.unless)) &&
    (row.operand === undefined || args.operands.some(word => row.operand?.test(word.text))) &&
    (row.when === undefined || row.when(args, words))
  )
}

function isOnOwnBranch({ facts }: Call): boolean {
  return facts.currentBranch !== undefined && facts.branchesOfRun.includes(facts.currentBranch)
}

function existsAsPath(word: Word, { folders, facts }: Call): boolean {
  return (folders ?? []).some(folder => facts.paths[absolutePath(folder, word.text)]?.exists === true)
}
