import { visibleLine } from '../kernel/visible.ts'

/** A part of a line that is never cut, and how it is painted. */
interface Piece {
  text: string
  paint?: (text: string) => string
}

const GAP = '  '
const INDENT = '        '
/** Less room than this shows too little: the text gets a line of its own. */
const LEAST_ROOM = 20

/** One record for a person, in lines of at most `width` columns: pieces that stay whole, then a text that is cut to the room that
 *  is left. What does not fit goes on the next line, indented; only a piece longer than a line is wider. */
export function fitRecord(pieces: Piece[], text: string, width: number): string {
  const lines: Piece[][] = [[]]
  let used = -GAP.length
  const placeFor = (least: number): Piece[] => {
    const last = lines.at(-1) ?? []
    if (last.length === 0 || used + GAP.length + least <= width) return last
    const next: Piece[] = []
    lines.push(next)
    used = INDENT.length - GAP.length
    return next
  }
  for (const piece of pieces) {
    const shown = visibleLine(piece.text)
    placeFor(shown.length).push({ ...piece, text: shown })
    used += GAP.length + shown.length
  }
  const rest = visibleLine(text)
  const place = placeFor(Math.min(rest.length, LEAST_ROOM))
  if (rest !== '') place.push({ text: cut(rest, width - used - GAP.length) })
  return lines.map((line, i) => (i === 0 ? '' : INDENT) + line.map(({ text, paint }) => paint?.(text) ?? text).join(GAP)).join('\n')
}

/** A text in at most `most` columns. What is left out is counted at its end: `abc...+120`. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  const kept = Math.max(0, most - '...+'.length - String(text.length).length)
  // Half of a character outside the basic plane is none.
  const end = /[\uD800-\uDBFF]$/.test(text.slice(0, kept)) ? kept - 1 : kept
  return `${text.slice(0, end)}...+${text.length - end}`
}
