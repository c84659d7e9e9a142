import { refuse } from './refusal.ts'

/** A path as a patch writes it: without `./`, and in a diff without the letter of its side. */
export function patchPath(written: string, prefix: 'sides' | 'none'): string {
  const unquoted = written.startsWith('"') ? unquote(written) : written
  const bare = prefix === 'sides' ? unquoted.replace(/^[ab]\//, '') : unquoted
  return withoutDot(bare)
}

export function withoutDot(path: string): string {
  return path.replace(/^(?:\.\/+)+/, '')
}

/** Refuses paths that lead out of the project. */
export function checkInside(path: string): void {
  if (/^(?:[/\\]|[A-Za-z]:[/\\])/.test(path) || path.split(/[/\\]/).includes('..') || path === '')
    refuse('path_mismatch', `The edit names ${JSON.stringify(path)}. Name a path inside the project, relative to its root.`, {
      paths: [path],
    })
}

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 }

/** git writes unusual paths as C strings: bytes in octal, the rest of the escapes as in C. */
function unquote(written: string): string {
  const end = written.lastIndexOf('"')
  if (end < 1) return written
  const bytes: Buffer[] = []
  for (const [whole, octal, letter] of written.slice(1, end).matchAll(/\\([0-7]{1,3})|\\(.)|[^\\]+|\\/gsu)) {
    if (octal !== undefined) bytes.push(Buffer.from([Number.parseInt(octal, 8) & 0xff]))
    else if (letter !== undefined) bytes.push(ESCAPES[letter] === undefined ? Buffer.from(letter) : Buffer.from([ESCAPES[letter]]))
    else bytes.push(Buffer.from(whole))
  }
  return Buffer.concat(bytes).toString('utf8')
}
