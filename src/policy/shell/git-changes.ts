import { type Arguments, hasOption, optionValues } from './arguments.ts'
import { isKnownFolder } from './file-effects.ts'
import { absolutePath, topOf } from './folders.ts'
import type { Call, PathUse } from './judgement.ts'
import { staticWord, type Word } from './word.ts'

/** How a subcommand of git changes files of the work tree. */
export interface WorkTreeRow {
  access: PathUse['access']
  words: (args: Arguments, call: Call) => readonly Word[]
  /** What it writes is a folder with all in it, whether there is one yet or not. */
  whole?: boolean
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
  ['clone', { access: 'create', words: args => [args.operands[1] ?? clonedInto(args.operands[0])], whole: true }],
  ['worktree', { access: 'create', words: args => (args.operands[0]?.text === 'add' ? args.operands.slice(1, 2) : []), whole: true }],
  ['bundle', { access: 'create', words: args => (args.operands[0]?.text === 'create' ? args.operands.slice(1, 2) : []) }],
  ['format-patch', { access: 'create', words: formatted, whole: true, partial: true }],
])

function formatted(args: Arguments): readonly Word[] {
  if (hasOption(args, ['--stdout'])) return []
  return [optionValues(args, ['-o', '--output-directory'])[0] ?? staticWord('.')]
}

/** A clone without a folder of its own gets one called after the last part of its address. */
function clonedInto(address: Word | undefined): Word {
  const name = address?.kind === 'static' ? /([^/:]+?)(?:\.git)?\/*$/.exec(address.text)?.[1] : undefined
  return staticWord(name ?? '.')
}

function checkedOut(args: Arguments, { folders, facts }: Call): readonly Word[] {
  if (args.beforeDashes !== null) return args.operands.slice(args.beforeDashes)
  const isThere = (word: Word): boolean => (folders ?? []).some(folder => facts.paths[absolutePath(folder, word.text)]?.exists === true)
  return args.operands.filter(word => word.kind === 'static' && (word.text === '.' || isThere(word)))
}

export function changedPaths(row: WorkTreeRow, args: Arguments, call: Call): PathUse[] {
  return row
    .words(args, call)
    .flatMap(word => placesOf(word, call))
    .map(word => {
      const reaches = row.whole || isKnownFolder(word, call)
      return { word, access: row.access, ...(reaches && { recursive: true, ...(row.partial && { partial: true }) }) }
    })
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
