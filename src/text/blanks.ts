const TAB = 9
const LINE_FEED = 10
const RETURN = 13
const SPACE = 32

export function isBlankOrBreak(code: number): boolean {
  return code === SPACE || code === LINE_FEED || code === TAB || code === RETURN
}

/** The first position at or after `at` that holds no blank; line breaks are blanks. */
export function skipBlanks(text: string, at: number, end = text.length): number {
  let i = at
  while (i < end && isBlankOrBreak(text.charCodeAt(i))) i++
  return i
}

/** The same, but it stays on the line: the answer may be a line feed. */
export function skipBlanksOnLine(text: string, at: number, end = text.length): number {
  let i = at
  while (i < end && text.charCodeAt(i) !== LINE_FEED && isBlankOrBreak(text.charCodeAt(i))) i++
  return i
}

export function isFirstOnLine(text: string, at: number): boolean {
  let i = at - 1
  while (i >= 0 && text.charCodeAt(i) !== LINE_FEED) {
    if (!isBlankOrBreak(text.charCodeAt(i))) return false
    i--
  }
  return true
}

/** Where the line of `at` ends: its line feed, or the end of the text. */
export function lineEnd(text: string, at: number, end = text.length): number {
  const found = text.indexOf('\n', at)
  return found < 0 || found > end ? end : found
}
