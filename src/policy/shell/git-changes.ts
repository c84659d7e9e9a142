import { type Arguments, hasOption } from './arguments.ts'
import { isKnownFolder } from './file-effects.ts'
import { absolutePath, topOf } from './folders.ts'
import type { Call, PathUse } from './judgement.ts'
import { staticWord, type Word } from './word.ts'

/** How a subcommand of git changes files of the work tree. */
export interface WorkTreeRow {
  access: PathUse['access']
  words: (args: Arguments, call: Call) => readonly Word[]
  /** In a folder it touches only what differs from what git has. */
  partial?: boolean
  /** Its operands are paths and nothing else. */
  knowsPaths?: boolean
}

const TOP = ':/'
const TAKES_OUT = new Set(['pop', 'apply', 'branch'])
const isStageOnly = (args: Arguments): boolean => hasOption(args, ['--staged', '-S']) && !hasOption(args, ['--worktree', '-W'])

export const WORK_TREE_CHANGES: ReadonlyMap<string, WorkTreeRow> = new Map<string, WorkTreeRow>([
  ['rm', { access: 'delete', words: args => args.operands, knowsPaths: true }],
  ['mv', { access: 'move', words: args => args.operands, knowsPaths: true }],
  // Taking something off the stage leaves the file alone.
  ['restore', { access: 'write', words: args => (isStageOnly(args) ? [] : args.operands), partial: true, knowsPaths: true }],
  ['checkout', { access: 'write', words: checkedOut, partial: true }],
  // What is in a stash nobody sees from here.
  ['stash', { access: 'create', words: args => (TAKES_OUT.has(args.operands[0]?.text ?? '') ? [staticWord(TOP)] : []), partial: true }],
])

function checkedOut(args: Arguments, { folders, facts }: Call): readonly Word[] {
  if (args.beforeDashes !== null) return args.operands.slice(args.beforeDashes)
  const isThere = (word: Word): boolean => (folders ?? []).some(folder => facts.paths[absolutePath(folder, word.text)]?.exists === true)
  return args.operands.filter(word => word.kind === 'static' && (word.text === '.' || isThere(word)))
}

export function changedPaths(row: WorkTreeRow, args: Arguments, call: Call): PathUse[] {
  return row
    .words(args, call)
    .flatMap(word => placesOf(word, call))
    .map(word => ({
      word,
      access: row.access,
      ...(isKnownFolder(word, call) && { recursive: true, ...(row.partial && { partial: true }) }),
    }))
}

/** A pathspec may start at the top of the work tree. */
function placesOf(word: Word, { folders, facts }: Call): Word[] {
  const magic = /^:(?:\(([^)]*)\)|([!^/]+))/.exec(word.text)
  if (!magic) return [word]
  const rest = word.text.slice(magic[0].length)
  const isTop = magic[1] === undefined ? magic[2]?.includes('/') : magic[1].split(',').includes('top')
  const tops = isTop ? (folders ?? ['.']).map(folder => topOf(folder, facts.roots)) : ['.']
  return [...new Set(tops)].map(top => staticWord(`${top}/${rest}`))
}
