/** Characters beyond U+FFFF take two units, and no edit may part them. */

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000
}

/** Whether an offset lies inside a character. */
export function partsPair(text: string, at: number): boolean {
  return isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at))
}

/** Whether a text starts or ends with what may be half a character. */
export function hasHalfAtEdge(text: string): boolean {
  return isLow(text.charCodeAt(0)) || isHigh(text.charCodeAt(text.length - 1))
}
