/** The folders a shell may stand in, or null when nobody can say. */
export type Folders = readonly string[] | null

const MOST_FOLDERS = 8

export function joined(a: Folders, b: Folders): Folders {
  if (a === b) return a
  if (a === null || b === null) return null
  const all = [...new Set([...a, ...b])]
  return all.length > MOST_FOLDERS ? null : all
}

/** Absolute, without `.` and doubled separators. `..` stays: behind a link it leads elsewhere than the text says. */
export function absolutePath(folder: string, path: string): string {
  const whole = path.startsWith('/') ? path : `${folder}/${path}`
  if (!UNTIDY.test(whole)) return whole
  const parts = whole.split('/').filter(part => part !== '' && part !== '.')
  return `/${parts.join('/')}`
}

const UNTIDY = /\/(\/|\.\/|\.?$)/

/** As the shell's own `cd` reads it: `..` takes the part before it away. */
export function logicalPath(folder: string, path: string): string {
  const kept: string[] = []
  for (const part of absolutePath(folder, path).split('/')) {
    if (part === '..') kept.pop()
    else if (part !== '') kept.push(part)
  }
  return `/${kept.join('/')}`
}

export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)
}

/** The innermost root that holds a folder, where a work tree most likely begins. */
export function topOf(folder: string, roots: readonly { path: string }[]): string {
  const tops = roots.map(({ path }) => path).filter(path => isBelow(folder, path))
  return tops.sort((a, b) => b.length - a.length)[0] ?? folder
}
