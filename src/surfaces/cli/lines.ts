import { TooLarge } from '../../kernel/errors.ts'

const LINE_FEED = 0x0a

/** Splits a byte stream into lines at `\n` alone: a JSON text may hold U+2028 and lone carriage returns as they are. A line of
 *  more than `most` bytes is not kept; the error that says so comes in its place. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<string | TooLarge> {
  const line = new Line(most)
  for await (const chunk of chunks) {
    let from = 0
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      line.add(chunk.subarray(from, end))
      yield line.take()
      from = end + 1
    }
    line.add(chunk.subarray(from))
  }
  if (line.bytes > 0) yield line.take()
}

class Line {
  bytes = 0
  readonly #most: number
  #parts: Uint8Array[] = []

  constructor(most: number) {
    this.#most = most
  }

  add(part: Uint8Array): void {
    this.bytes += part.length
    if (this.bytes > this.#most) this.#parts = []
    else if (part.length > 0) this.#parts.push(part)
  }

  take(): string | TooLarge {
    const { bytes } = this
    const parts = this.#parts
    this.bytes = 0
    this.#parts = []
    return bytes > this.#most ? new TooLarge('The line', { bytes, most: this.#most }) : new TextDecoder().decode(Buffer.concat(parts))
  }
}
