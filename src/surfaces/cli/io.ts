import { readFileSync } from 'node:fs'
import { InvalidInput, NotFound, TooLarge } from '../../kernel/errors.ts'
import { type Json, parseJson } from '../../kernel/json.ts'

/** Most bytes of one input, be it a line or all of stdin. */
export const MOST_INPUT_BYTES = 64 << 20

/** The ends of a process that the command line reads and writes. */
export interface Io {
  readonly stdin: NodeJS.ReadableStream
  readonly stdout: NodeJS.WritableStream
  readonly stderr: NodeJS.WritableStream
  /** Which ends are a terminal. */
  terminal: { stdin: boolean; stdout: boolean; stderr: boolean; columns: number | undefined }
  env: Readonly<Record<string, string | undefined>>
}

/** Writes and waits until it is out, so that a slow reader slows us instead of filling memory. Also resolves where nobody reads
 *  any more: whoever owns the stream learns that from its error. */
export function write(stream: NodeJS.WritableStream, text: string): Promise<void> {
  return new Promise(resolve => void stream.write(text, () => resolve()))
}

/** The JSON behind a reference: `@file`, `-` for stdin, or the text itself. */
export async function readReference(reference: string, what: string, io: Io): Promise<Json> {
  const text = reference === '-' ? await readAll(io.stdin) : reference.startsWith('@') ? readFile(reference.slice(1)) : reference
  const value = parseJson(text)
  if (value === undefined) throw new InvalidInput(what, [{ path: '', message: 'this is not JSON' }])
  return value
}

/** All of a stream, as text. */
export async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    if (bytes > MOST_INPUT_BYTES) throw new TooLarge('The input', { bytes, most: MOST_INPUT_BYTES })
    chunks.push(Buffer.from(chunk))
  }
  return Buffer.concat(chunks).toString('utf8')
}

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new NotFound(`${path} cannot be read.`, { cause, details: { path } })
  }
}
