/** Words for lines: a line ends before `\n`; blank means empty or only spaces and tabs. Texts here have `\r\n` folded to `\n`. */

export function foldLineBreaks(text: string): string {
  return text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text
}

/** The lines of a text; a final line break ends the last line and starts none. */
export function linesOf(text: string): string[] {
  if (text === '') return []
  const lines = text.split('\n')
  if (text.endsWith('\n')) lines.pop()
  return lines
}

export function isBlankLine(line: string): boolean {
  for (let i = 0; i < line.length; i++) if (!isBlankUnit(line.charCodeAt(i))) return false
  return true
}

function isBlankUnit(unit: number): boolean {
  return unit === 0x20 || unit === 0x09
}

export function indentLength(line: string): number {
  let i = 0
  while (i < line.length && isBlankUnit(line.charCodeAt(i))) i++
  return i
}

export function indentOf(line: string): string {
  return line.slice(0, indentLength(line))
}

export function trimEndBlanks(line: string): string {
  let end = line.length
  while (end > 0 && isBlankUnit(line.charCodeAt(end - 1))) end--
  return end === line.length ? line : line.slice(0, end)
}

export function trimBlanks(line: string): string {
  return trimEndBlanks(line).slice(indentLength(line))
}

export function countBreaks(text: string, from = 0, to = text.length): number {
  // A part of its own, which costs no copy: the search for the next break must not run past the end of the range.
  const range = from === 0 && to === text.length ? text : text.slice(from, to)
  let count = 0
  for (let at = range.indexOf('\n'); at >= 0; at = range.indexOf('\n', at + 1)) count++
  return count
}

/** The number, from 1, of the line in which an offset stands. */
export function lineNumberAt(text: string, offset: number): number {
  return countBreaks(text, 0, offset) + 1
}

/** Where the line starts in which an offset stands. */
export function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1
}

/** The whole line around an offset. */
export function lineAround(text: string, offset: number): string {
  const end = text.indexOf('\n', offset)
  return text.slice(lineStart(text, offset), end < 0 ? text.length : end)
}

/** Where the line that starts at an offset is over: after its line break, or at the end of the text. */
export function nextLineStart(text: string, offset: number): number {
  const end = text.indexOf('\n', offset)
  return end < 0 ? text.length : end + 1
}

/** Line numbers of offsets that only grow, without counting from the start each time. */
export function lineCounter(text: string, firstLine: number): (offset: number) => number {
  let line = firstLine
  let counted = 0
  return offset => {
    line += countBreaks(text, counted, offset)
    counted = Math.max(counted, offset)
    return line
  }
}
