import { type Arguments, hasOption, type Option, optionValues, readArguments } from './arguments.ts'
import type { FileEffectRow } from './file-effect-table.ts'
import { absolutePath } from './folders.ts'
import type { Call, Judgement, PathUse } from './judgement.ts'
import { restOf, staticWord, type Word } from './word.ts'

/** Judges a call of a file-effect program. */
export function judgeFileEffect(row: FileEffectRow, call: Call): Judgement {
  const { mode, words } = row.words === 'mode-then-targets' ? takeMode(call.args) : { mode: null, words: call.args }
  const args = readArguments(words, row)
  const recursive = hasOption(args, row.recursive ?? [])
  const paths = [
    ...optionValues(args, row.files ?? []).map((word): PathUse => ({ word, access: 'list' })),
    ...(row.words === 'sources-then-target' && !hasOption(args, row.targetsWith ?? [])
      ? transfers(row, args, call, recursive)
      : targets(row, args, mode !== null, recursive)),
  ]
  const staysInClass =
    row.class === undefined && args.options.every(option => isDocumented(option, row)) && !setsId(mode) && !hasLeadingSuffix(args)
  return { class: staysInClass ? 'file-effect' : 'other', paths, knowsPaths: true }
}

/** A suffix of backups with a slash in it names a file elsewhere. */
function hasLeadingSuffix(args: Arguments): boolean {
  return optionValues(args, ['-S', '--suffix']).some(word => word.kind !== 'static' || word.text.includes('/'))
}

function isDocumented({ name, value }: Option, row: FileEffectRow): boolean {
  if (!name.startsWith('--')) return row.flags.includes(name.slice(1)) || (row.values ?? '').includes(name.slice(1))
  const long = name.slice(2)
  if (row.longFlags.has(long) || row.longValues?.has(long)) return true
  return long.length > 1 && value === null && [...row.longFlags].some(one => one.startsWith(long))
}

function targets(row: FileEffectRow, args: Arguments, isModeTaken: boolean, recursive: boolean): PathUse[] {
  const isModeGiven = isModeTaken || row.words !== 'mode-then-targets' || hasOption(args, ['--reference'])
  const named = isModeGiven ? args.operands : args.operands.slice(1)
  return named.filter(word => !word.pipe).map(word => ({ word, access: row.access, ...(recursive && { recursive }) }))
}

/** Options with which a copy shares its content with the source. */
const LINKS = ['-l', '-s', '--link', '--symbolic-link']

/** Sources, and where each of them ends up. */
function transfers(row: FileEffectRow, args: Arguments, call: Call, recursive: boolean): PathUse[] {
  const into = optionValues(args, row.into ?? [])[0]
  const operands = args.operands
  const isLoneLink = row.sourceAccess === 'link' && operands.length === 1
  const target = into ?? (isLoneLink ? staticWord('.') : operands.at(-1))
  const sources = into || isLoneLink ? operands : operands.slice(0, -1)
  if (target === undefined) return []
  const isFolder = into !== undefined || isLoneLink || sources.length > 1 || target.text.endsWith('/') || isKnownFolder(target, call)
  const keepsParents = hasOption(args, ['--parents'])
  const access = hasOption(args, LINKS) ? 'link' : (row.sourceAccess ?? 'read')
  const uses: PathUse[] = []
  for (const word of sources) {
    const landing = isFolder && !keepsParents ? landingIn(target, word) : target
    const below = recursive || keepsParents || (row.sourceAccess === 'move' && isKnownFolder(word, call))
    const source = row.sourceAccess === 'link' && hasOption(args, ['-s', '--symbolic']) ? seenFrom(landing, word) : word
    // A link gives all that is below a folder another name.
    const reaches = below || (row.sourceAccess === 'link' && isKnownFolder(source, call))
    if (!word.pipe) uses.push({ word: source, access, ...(reaches && { recursive: true }) })
    uses.push({ word: landing, access: row.access, ...(below && { recursive: true }) })
  }
  return uses
}

export function isKnownFolder(word: Word, { folders, facts }: Call): boolean {
  if (word.kind === 'static' && /(?:^|\/)\.{0,2}$/.test(word.text)) return true
  return word.kind === 'static' && (folders ?? []).some(folder => facts.paths[absolutePath(folder, word.text)]?.type === 'folder')
}

function landingIn(folder: Word, source: Word): Word {
  const name = source.text.replace(/\/+$/, '').split('/').at(-1) ?? ''
  const isCertain = folder.kind === 'static' && source.kind === 'static' && !source.pipe
  // What lands there has a name that only the facts of the glob know; the folder stands for it.
  if (!isCertain || name === '..' || name === '.') return folder
  return staticWord(`${folder.text.replace(/\/+$/, '')}/${name}`)
}

/** A symbolic link's target is read from the folder of the link. */
function seenFrom(link: Word, target: Word): Word {
  const slash = link.text.lastIndexOf('/')
  if (target.kind !== 'static' || link.kind !== 'static' || target.text.startsWith('/') || slash < 0) return target
  return staticWord(`${link.text.slice(0, slash + 1)}${target.text}`)
}

const DASHED_MODE = /^-[rwxXstugo,+=-]+$/
const SET_ID = /^(?:0*[2-7][0-7]{3}|.*[+=][rwxXtugo]*s)/

/** A mode may start with a dash, as in `chmod -x`, and then looks like options. */
function takeMode(words: readonly Word[]): { mode: Word | null; words: readonly Word[] } {
  const at = words.findIndex(word => DASHED_MODE.test(word.text) || !word.text.startsWith('-'))
  const mode = words[at]
  if (mode === undefined || words.some(word => word.text.startsWith('--reference'))) return { mode: null, words }
  return { mode: mode.text.startsWith('-') ? restOf(mode, 0) : mode, words: words.toSpliced(at, 1) }
}

function setsId(mode: Word | null): boolean {
  return mode !== null && (mode.kind !== 'static' || SET_ID.test(mode.text))
}
