/** The longest start of a text that has at most so many bytes in UTF-8; a character is never split. */
export function cutToBytes(text: string, most: number): string {
  if (text.length * 3 <= most) return text
  let bytes = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    const paired = code >= 0xd800 && code < 0xdc00 && isLowSurrogate(text.charCodeAt(i + 1))
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : paired ? 4 : 3
    if (bytes > most) return text.slice(0, i)
    if (paired) i++
  }
  return text
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000
}
