import type { Flag } from '../types.ts'
import { type Arguments, hasOption, longNames, optionValues, readArguments } from './arguments.ts'
import { topOf } from './folders.ts'
import type { Call, Judge, Judgement, PathUse, Stdin } from './judgement.ts'
import { namesInPatch, type PatchName, strippedName } from './patch-names.ts'
import { insideOf, landed } from './unpacked.ts'
import { isStatic, staticWord, type Word } from './word.ts'

// A patch writes what it says: the files named in it, read from the text that comes in or from the facts about the file. Where
// neither tells, the folder as a whole is meant and nobody knows what is written there.

const PATCH_SHAPE = {
  values: 'pidoBDFgrVYz',
  longValues: longNames('strip input directory output prefix ifdef fuzz get reject-file version-control basename-prefix suffix'),
}

/** Options for diffs that are not unified; a script of ed can even run commands. */
const OTHER_FORMS = ['-e', '--ed', '-c', '--context', '-n', '--normal']

export const judgePatch: Judge = call => {
  const args = readArguments(call.args, PATCH_SHAPE)
  const [original, given] = args.operands
  const input = optionValues(args, ['-i', '--input'])[0] ?? given
  const written = optionValues(args, ['-o', '--output', '-r', '--reject-file']).filter(word => word.text !== '-')
  const own: PathUse[] = [...readsOf(input), ...written.map((word): PathUse => ({ word, access: 'create' }))]
  if (hasOption(args, ['--dry-run', '-C', '--check'])) return { class: 'other', paths: own, knowsPaths: true }
  const isElsewhere = hasOption(args, ['-o', '--output'])
  if (isElsewhere) return { class: 'other', paths: [...own, ...readsOf(original)], knowsPaths: true }
  if (original) return { class: 'other', paths: [...own, { word: original, access: 'write' }], knowsPaths: true }
  const folder = optionValues(args, ['-d', '--directory'])[0] ?? staticWord('.')
  const names = hasOption(args, OTHER_FORMS) ? null : namesFrom(input ? [input] : [], call)
  const strip = stripOf(args, ['-p', '--strip'])
  // Without the option only the last part of each name counts.
  const targets = names?.map(name => (strip === null ? (name.name.split('/').at(-1) ?? name.name) : strippedName(name, strip)))
  return withLanded(own, complete(targets ?? null), [folder])
}

const APPLY_SHAPE = { values: 'pC', longValues: longNames('directory exclude include build-fake-ancestor whitespace') }
const SHOWS_ONLY = ['--check', '--stat', '--numstat', '--summary', '--cached']
const RUNS_OR_ESCAPES = ['--unsafe-paths', '--build-fake-ancestor']

/** `git apply` and `git am`. Names of git's own diffs start at the top of the work tree, others where the shell stands. */
export function judgeGitPatch(subcommand: string, call: Call): Judgement {
  const args = readArguments(call.args, APPLY_SHAPE)
  const files = args.operands.filter(word => !isStatic(word, '-'))
  const own = files.flatMap(word => readsOf(word))
  const isLookOnly = subcommand === 'apply' && hasOption(args, SHOWS_ONLY) && !hasOption(args, ['--apply'])
  const goesOn = subcommand === 'am' && args.operands.length === 0 && call.stdin.kind === 'none'
  if (isLookOnly || goesOn) return { class: 'other', paths: own, knowsPaths: true }
  const names = namesFrom(files, call)
  const strip = stripOf(args, ['-p']) ?? 1
  const below = optionValues(args, ['--directory'])[0]
  const tops = [...new Set([...(call.folders ?? []).map(folder => topOf(folder, call.facts.roots)), ...(call.folders ?? ['.'])])].map(
    staticWord,
  )
  const folders = below ? tops.map(top => ({ ...below, text: `${top.text}/${below.text}` })) : tops
  const judged = withLanded(own, complete(names?.map(name => strippedName(name, strip)) ?? null), folders)
  return hasOption(args, RUNS_OR_ESCAPES) ? { ...judged, flags: ['ambiguous'] } : judged
}

function readsOf(word: Word | undefined): PathUse[] {
  return word && word.text !== '-' ? [{ word, access: 'read' }] : []
}

function stripOf(args: Arguments, names: readonly string[]): number | null {
  const given = optionValues(args, names).at(-1)
  return given && /^\d+$/.test(given.text) ? Number(given.text) : null
}

function namesFrom(files: readonly Word[], call: Call): PatchName[] | null {
  const lists = files.length > 0 ? files.map(file => namesOfFile(file, call)) : [namesOfInput(call.stdin, call)]
  return complete(lists)?.flat() ?? null
}

function namesOfFile(file: Word, call: Call): PatchName[] | null {
  if (file.text === '-') return namesOfInput(call.stdin, call)
  const inside = insideOf(file, call)
  return inside?.kind === 'patch' ? inside.names : null
}

function namesOfInput(stdin: Stdin, call: Call): PatchName[] | null {
  if (stdin.kind === 'text') return stdin.text === null ? null : namesInPatch(stdin.text)
  return stdin.kind === 'file' && stdin.word.text !== '-' ? namesOfFile(stdin.word, call) : null
}

function complete<T>(values: readonly (T | null)[] | null): T[] | null {
  const known = values?.filter(value => value !== null)
  return known && known.length === values?.length ? known : null
}

function withLanded(own: PathUse[], names: readonly string[] | null, folders: readonly Word[]): Judgement {
  const all = folders.map(folder => landed(names, folder))
  const flags: Flag[] = all.every(({ isKnown }) => isKnown) ? [] : ['ambiguous']
  return { class: 'other', paths: [...own, ...all.flatMap(({ uses }) => uses)], flags, knowsPaths: true }
}
