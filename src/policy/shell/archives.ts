import type { Flag } from '../types.ts'
import { type Arguments, hasOption, longNames, optionValues, readArguments } from './arguments.ts'
import { excludedNames } from './excluded.ts'
import type { Call, Judge, Judgement, PathUse } from './judgement.ts'
import { insideOf, landed } from './unpacked.ts'
import { isStatic, restOf, staticWord, type Word } from './word.ts'

// Listing an archive reads it, making one reads all that goes in, and unpacking writes what the facts say is inside; where they do
// not tell, the folder as a whole.

const TAR_SHAPE = {
  values: 'fCbFgHIKLNTVX',
  longValues: longNames(
    'file directory strip-components transform xform exclude exclude-from files-from owner group mode use-compress-program to-command ' +
      'checkpoint-action info-script new-volume-script rsh-command one-top-level newer listed-incremental',
  ),
}
const TAR_TAKES_WORD = new Set('bCfFgHIKLNTVX')
const TAR_LISTS = new Set(['-t', '-f', '-v', '-z', '-j', '-J', '--list', '--file', '--verbose', '--gzip', '--bzip2', '--xz'])
/** Options that leave the names and the places of files as the archive has them. */
const TAR_PLAIN = new Set([
  ...TAR_LISTS,
  ...'--gunzip --zstd -a --auto-compress -x --extract --get -c --create -C --directory -k --keep-old-files -m --touch -p'.split(' '),
  ...'--preserve-permissions --no-same-owner -o --no-same-permissions --overwrite --strip-components --exclude --totals --exclude-vcs --no-xattrs -h --dereference'.split(
    ' ',
  ),
])
const MODES = {
  list: ['-t', '--list'],
  extract: ['-x', '--extract', '--get'],
  create: ['-c', '--create', '-r', '--append', '-u', '--update'],
}

/** The first word may be a bundle without a dash. */
export const judgeTar: Judge = call => {
  const args = readArguments(inNewStyle(call.args), TAR_SHAPE)
  const archives = optionValues(args, ['-f', '--file'])
  const [archive] = archives
  // An archive name with a colon is a remote machine to tar, which it reaches by a program of its own choice.
  const isPlain = args.options.every(({ name }) => TAR_PLAIN.has(name)) && !archives.some(word => word.text.includes(':'))
  const flags: Flag[] = isPlain ? [] : ['ambiguous']
  const folder = optionValues(args, ['-C', '--directory']).reduce((at, next) => within(at, next), staticWord('.'))
  if (hasOption(args, MODES.list)) {
    const lists = call.base === 'tar' && isPlain && args.options.every(({ name }) => TAR_LISTS.has(name))
    return { class: lists ? 'read-only' : 'other', paths: reads(archives), flags, knowsPaths: lists }
  }
  if (hasOption(args, MODES.extract)) {
    const strip = Number(optionValues(args, ['--strip-components'])[0]?.text ?? 0)
    const names = isPlain ? namesIn(archive, call) : null
    return unpacked([...reads(archives)], chosen(names, args.operands)?.flatMap(name => stripped(name, strip)) ?? null, folder, flags)
  }
  if (!hasOption(args, MODES.create)) return { class: 'other', flags }
  return packed(args, { archive, sources: args.operands.map(word => within(folder, word)), flags })
}

/** Without a dash, the letters of the first word take the words behind it one after another. */
function inNewStyle(words: readonly Word[]): readonly Word[] {
  const [first, ...rest] = words
  if (first?.kind !== 'static' || !/^[A-Za-z]+$/.test(first.text)) return words
  const options = first.text.split('').flatMap(letter => {
    const value = TAR_TAKES_WORD.has(letter) ? rest.shift() : undefined
    return [staticWord(`-${letter}`), ...(value ? [value] : [])]
  })
  return [...options, ...rest]
}

const UNZIP_SHAPE = { values: 'dP', longValues: longNames('') }
const UNZIP_PLAIN = new Set(['-o', '-n', '-q', '-u', '-f', '-d', '-a', '-C', '-L'])

export const judgeUnzip: Judge = call => {
  // What follows -x is left out of what is unpacked.
  const cut = call.args.findIndex((word, i) => i > 0 && isStatic(word, '-x'))
  const args = readArguments(cut < 0 ? call.args : call.args.slice(0, cut), UNZIP_SHAPE)
  const [archive, ...members] = args.operands
  const own = reads(archive ? [archive] : [])
  const isOnly = (...names: string[]): boolean => args.options.every(({ name }) => names.includes(name))
  if (call.name === 'zipinfo' || (hasOption(args, ['-l']) && isOnly('-l', '-v')))
    return { class: 'read-only', paths: own, knowsPaths: true }
  if (hasOption(args, ['-l', '-p', '-c', '-t', '-z', '-v', '-Z'])) return { class: 'other', paths: own, knowsPaths: true }
  const names = args.options.every(({ name }) => UNZIP_PLAIN.has(name)) ? namesIn(archive, call) : null
  return unpacked(own, chosen(names, members), optionValues(args, ['-d'])[0] ?? staticWord('.'), [])
}

const CPIO_SHAPE = { values: 'CDEFHIMOR', longValues: longNames('directory file pattern-file format owner block-size message io-size') }

export const judgeCpio: Judge = call => {
  const args = readArguments(call.args, CPIO_SHAPE)
  const files = optionValues(args, ['-F', '--file', '-I'])
  const folder = optionValues(args, ['-D', '--directory'])[0] ?? staticWord('.')
  const made = optionValues(args, ['-O']).map((word): PathUse => ({ word, access: 'create' }))
  if (hasOption(args, ['-p', '--pass-through']))
    return unpacked(reads(files), null, within(folder, args.operands[0] ?? staticWord('.')), [])
  if (hasOption(args, ['-i', '--extract']) && !hasOption(args, ['-t', '--list'])) return unpacked(reads(files), null, folder, [])
  return { class: 'other', paths: [...reads(files), ...made], knowsPaths: true }
}

/** `7z x archive -ofolder`: the first word says what to do, and a folder stands right behind its letter. */
export const judgeSevenZip: Judge = call => {
  const [verb, archive, ...words] = call.args.filter(word => !word.text.startsWith('-'))
  const out = call.args.find(word => /^-o./.test(word.text))
  const own = reads(archive ? [archive] : [])
  if (isStatic(verb, 'x') || isStatic(verb, 'e')) {
    const names = words.length === 0 && isStatic(verb, 'x') ? namesIn(archive, call) : null
    return unpacked(own, names, out ? restOf(out, 2) : staticWord('.'), [])
  }
  if (isStatic(verb, 'l') || isStatic(verb, 't')) return { class: 'other', paths: own, knowsPaths: true }
  return {
    class: 'other',
    paths: [...(archive ? [create(archive)] : []), ...words.map(word => ({ ...readWhole(word) }))],
    knowsPaths: true,
  }
}

const ZIP_SHAPE = { values: 'bntxiPO', longValues: longNames('exclude include temp-path suffixes output-file password') }

export const judgeZip: Judge = call => {
  const args = readArguments(call.args, ZIP_SHAPE)
  const [archive, ...sources] = args.operands
  // With these it runs a program or removes what it packed.
  const flags: Flag[] = hasOption(args, ['-T', '--test', '-TT', '--unzip-command', '-m', '--move']) ? ['ambiguous'] : []
  return packed(args, { archive, sources, flags })
}

function packed(args: Arguments, { archive, sources, flags }: { archive: Word | undefined; sources: Word[]; flags: Flag[] }): Judgement {
  const excludes = excludedNames(optionValues(args, ['--exclude', '-x']))
  const paths = sources.map(word => ({ ...readWhole(word), ...(excludes.length > 0 && { excludes }) }))
  return { class: 'other', paths: [...(archive && archive.text !== '-' ? [create(archive)] : []), ...paths], flags, knowsPaths: true }
}

function unpacked(own: PathUse[], names: readonly string[] | null, folder: Word, flags: readonly Flag[]): Judgement {
  const { uses, isKnown } = landed(names, folder)
  return { class: 'other', paths: [...own, ...uses], flags: isKnown ? [...flags] : [...flags, 'ambiguous'], knowsPaths: true }
}

function namesIn(archive: Word | undefined, call: Call): string[] | null {
  const inside = insideOf(archive, call)
  return inside?.kind === 'archive' ? inside.names : null
}

/** Of the names in an archive those that are asked for, a folder meaning all below it. */
function chosen(names: string[] | null, members: readonly Word[]): string[] | null {
  if (names === null || members.length === 0) return names
  if (members.some(({ kind, text }) => kind !== 'static' || /[*?[]/.test(text))) return names
  return names.filter(name => members.some(({ text }) => name === text || name.startsWith(`${text.replace(/\/+$/, '')}/`)))
}

function stripped(name: string, count: number): string[] {
  const parts = name.split('/').filter(part => part !== '' && part !== '.')
  return parts.length > count ? [parts.slice(count).join('/')] : []
}

function within(folder: Word, word: Word): Word {
  if (word.text.startsWith('/') || isStatic(folder, '.')) return word
  return { ...word, text: `${folder.text}/${word.text}`, kind: folder.kind === 'static' ? word.kind : 'dynamic' }
}

function create(word: Word): PathUse {
  return { word, access: 'create' }
}

function readWhole(word: Word): PathUse {
  return { word, access: 'read', recursive: true }
}

function reads(words: readonly Word[]): PathUse[] {
  return words.filter(word => word.text !== '-' && !word.pipe).map(word => ({ word, access: 'read' }))
}
