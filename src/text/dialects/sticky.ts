/** The match of a sticky pattern that begins exactly at a position. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** Behind the first of these strings that stands at a position; the position itself where none does. */
export function skipAny(text: string, at: number, strings: readonly string[]): number {
  const found = strings.find(string => text.startsWith(string, at))
  return found === undefined ? at : at + found.length
}
