/** Splits a byte stream into lines at `\n` alone: a JSON text may hold U+2028 and lone carriage returns as they are. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  const parts: string[] = []
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true })
    let from = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      parts.push(text.slice(from, end))
      yield parts.splice(0).join('')
      from = end + 1
    }
    if (from < text.length) parts.push(text.slice(from))
  }
  parts.push(decoder.decode())
  const last = parts.join('')
  if (last !== '') yield last
}
