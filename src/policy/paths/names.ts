// Characters that file systems or terminals drop or do not show: a name that differs only in them is the same to a person.
const UNSEEN = /\p{Default_Ignorable_Code_Point}|[\u2028\u2029]/gu
const PLAIN = /^[\x21-\x7e]*$/
/** Most names are so already, and every decision folds some. */
const FOLDED = /^[a-z0-9._-]*[a-z0-9_-]$/

/** A name as a file system without case would compare it. */
export function foldCase(name: string): string {
  if (PLAIN.test(name)) return name.toLowerCase()
  return name.normalize('NFC').toUpperCase().toLowerCase()
}

/** A name with its disguises taken off, for names that must be known wherever they stand: case, unseen characters, trailing
 *  dots and spaces, and the short name that Windows gives to `.git`. */
export function foldName(name: string): string {
  if (FOLDED.test(name)) return name
  const seen = PLAIN.test(name) ? name : name.replace(UNSEEN, '')
  const folded = foldCase(seen.replace(/(?<=[^. ])[. ]+$/, ''))
  return folded === 'git~1' ? '.git' : folded
}

/** Whether `path` is `folder` or stands below it, by whole parts. Both absolute and resolved. */
export function isWithin(path: string, folder: string, caseInsensitive: boolean): boolean {
  const [inner, outer] = caseInsensitive ? [foldCase(path), foldCase(folder)] : [path, folder]
  return inner === outer || inner.startsWith(outer.endsWith('/') ? outer : `${outer}/`)
}

/** The path from a folder down to it; '' for the folder itself. Only for what is within. */
export function pathBelow(path: string, folder: string): string {
  return path.length <= folder.length ? '' : path.slice(folder.endsWith('/') ? folder.length : folder.length + 1)
}
