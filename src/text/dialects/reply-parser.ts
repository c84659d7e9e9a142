// A reply that arrives in chunks. Much about a call is decided by what comes after it (where a body ends, whether thinking was
// closed, whether the reply is nothing but a fence), so the result is made once, from the whole text, and cannot depend on
// how the text was cut.
import { MOST_BYTES } from './limits.ts'
import { parseReply } from './parse-reply.ts'
import type { ParsedReply, ParseOptions } from './types.ts'

export class ReplyParser {
  readonly #options: ParseOptions
  readonly #chunks: string[] = []
  #length = 0

  constructor(options: ParseOptions = {}) {
    this.#options = options
  }

  push(chunk: string): void {
    // One character takes at least one byte: what is further out is cut off in any case and need not be kept.
    if (this.#length > MOST_BYTES) return
    this.#chunks.push(chunk)
    this.#length += chunk.length
  }

  end(): ParsedReply {
    return parseReply(this.#chunks.join(''), this.#options)
  }
}
