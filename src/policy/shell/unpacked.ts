import type { Inside } from '../types.ts'
import { absolutePath } from './folders.ts'
import type { Call, PathUse } from './judgement.ts'
import { staticWord, type Word } from './word.ts'

/** More paths than this stand for their folder as a whole. */
const MOST_NAMES = 500

/** What a file would write, where the facts tell and still hold. */
export function insideOf(file: Word | undefined, { folders, facts, isUndisturbed }: Call): Inside | null {
  if (file?.kind !== 'static' || !isUndisturbed) return null
  const [folder, another] = file.text.startsWith('/') ? ['/'] : (folders ?? [])
  return folder === undefined || another !== undefined ? null : (facts.inside?.[absolutePath(folder, file.text)] ?? null)
}

/** The files that land in a folder, or the folder itself where they are not known. */
export function landed(names: readonly string[] | null, folder: Word): { uses: PathUse[]; isKnown: boolean } {
  if (names === null || names.length > MOST_NAMES || folder.kind !== 'static')
    return { uses: [{ word: folder, access: 'create', recursive: true, partial: true }], isKnown: false }
  const base = folder.text === '.' ? '' : `${folder.text.replace(/\/+$/, '')}/`
  const uses = [...new Set(names)].map(
    (name): PathUse => ({ word: staticWord(name.startsWith('/') ? name : `${base}${name}`), access: 'create' }),
  )
  return { uses, isKnown: true }
}
