import { linesOf, trimBlanks } from './lines.ts'

const COMMENT = /^(?:\/\/|#|--|\/\*|\*|<!--|;|%)/
const ELLIPSIS = /\.\.\.|…/
const PLACEHOLDER = /\b(?:existing|rest|remaining|unchanged|omitted|same as before)\b/i

/** The first added line that stands for code which was left out, unless the file itself has that line. */
export function elidedLine(added: string, original: string): string | undefined {
  if (!ELLIPSIS.test(added)) return undefined
  const candidates = linesOf(added)
    .map(trimBlanks)
    .filter(line => COMMENT.test(line) && ELLIPSIS.test(line) && PLACEHOLDER.test(line))
  if (candidates.length === 0) return undefined
  const known = new Set(linesOf(original).map(trimBlanks))
  return candidates.find(line => !known.has(line))
}
