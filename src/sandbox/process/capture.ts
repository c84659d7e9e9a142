import { createHash } from 'node:crypto'
import { closeSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from '../../store/files.ts'
import type { TextRedactor } from '../redaction/text-redactor.ts'
import { withoutControlSequences } from './control-sequences.ts'
import { type Captured, LIMITS } from './types.ts'

export interface CaptureOptions {
  keep: { head: number; tail: number }
  redactor: TextRedactor
  /** Where the whole goes when its middle is left out. */
  file?: string | undefined
  onText?: ((text: string) => void) | undefined
}

export interface Capture {
  /** Takes raw bytes; says how many came so far. */
  push(chunk: Buffer): number
  end(): Captured
}

/** Keeps head and tail of a stream, redacted before anything is kept, written or digested. */
export function createCapture({ keep, redactor, file, onText }: CaptureOptions): Capture {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const digest = createHash('sha256')
  const head: Buffer[] = []
  const tail = createTail(keep.tail)
  const spill = createSpill(file)
  let raw = 0
  let bytes = 0

  const take = (text: string): void => {
    if (text === '') return
    const redacted = Buffer.from(text, 'utf8')
    digest.update(redacted)
    const room = Math.max(0, keep.head - bytes)
    bytes += redacted.length
    if (room > 0) head.push(redacted.subarray(0, room))
    if (redacted.length > room) tail.push(redacted.subarray(room))
    if (bytes > keep.head + keep.tail) spill.write(redacted)
    else spill.hold(redacted)
    onText?.(text)
  }
  return {
    push(chunk) {
      raw += chunk.length
      take(redactor.push(decoder.decode(chunk, { stream: true })))
      return raw
    },
    end() {
      take(redactor.push(decoder.decode()))
      take(redactor.end())
      const cut = bytes > keep.head + keep.tail
      const path = spill.close()
      const kept = tail.take()
      const text = cut ? joined(Buffer.concat(head), kept, { bytes, path }) : Buffer.concat([...head, kept]).toString('utf8')
      return { text: withoutControlSequences(text), bytes, sha256: digest.digest('hex'), cut, ...(cut && path && { file: path }) }
    },
  }
}

function joined(head: Buffer, tail: Buffer, whole: { bytes: number; path: string | undefined }): string {
  const first = head.subarray(0, wholeCharacters(head))
  const last = tail.subarray(firstCharacter(tail))
  const missing = whole.bytes - first.length - last.length
  const more = whole.bytes > LIMITS.mostFileBytes ? `the first ${LIMITS.mostFileBytes} bytes are in` : 'the whole is in'
  const where = whole.path === undefined ? '' : `; ${more} ${whole.path}`
  const start = first.toString('utf8')
  return `${start}${start.endsWith('\n') ? '' : '\n'}[${missing} bytes left out${where}]\n${last.toString('utf8')}`
}

// A cut in the middle of a character would show as a replacement character that was never there.
function wholeCharacters(bytes: Buffer): number {
  let at = bytes.length
  while (at > 0 && at > bytes.length - 4 && isContinuation(bytes[at - 1])) at--
  const lead = bytes[at - 1] ?? 0
  const wanted = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1
  return at - 1 + wanted <= bytes.length ? bytes.length : at - 1
}

function firstCharacter(bytes: Buffer): number {
  let at = 0
  while (at < 3 && isContinuation(bytes[at])) at++
  return at
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}

interface Tail {
  push(chunk: Buffer): void
  take(): Buffer
}

function createTail(most: number): Tail {
  let chunks: Buffer[] = []
  let size = 0
  return {
    push(chunk) {
      chunks.push(chunk)
      size += chunk.length
      // Joined now and then, so that many small chunks cost no more than few large ones.
      if (size > most * 2 + 65_536) {
        chunks = [Buffer.concat(chunks).subarray(-most || size)]
        size = Math.min(size, most)
      }
    },
    take: () => (most === 0 ? Buffer.alloc(0) : Buffer.concat(chunks).subarray(-most)),
  }
}

interface Spill {
  hold(chunk: Buffer): void
  write(chunk: Buffer): void
  close(): string | undefined
}

/** Writes the whole to a file, from the moment on at which it no longer fits. */
function createSpill(path: string | undefined): Spill {
  const held: Buffer[] = []
  let file: number | undefined
  let written = 0
  let failed = false
  const put = (chunk: Buffer): void => {
    if (file === undefined || written >= LIMITS.mostFileBytes) return
    written += writeSync(file, chunk.subarray(0, LIMITS.mostFileBytes - written))
  }
  return {
    hold: chunk => {
      if (path !== undefined) held.push(chunk)
    },
    write(chunk) {
      if (path === undefined || failed) return
      try {
        if (file === undefined) {
          makeFolder(dirname(path), { private: true })
          file = openSync(path, 'wx', 0o600)
        }
        for (const piece of [...held.splice(0), chunk]) put(piece)
      } catch {
        // The file is a convenience: without room for it head and tail are still kept, and no path is told.
        failed = true
      }
    },
    close() {
      if (file === undefined) return undefined
      closeSync(file)
      return failed ? undefined : path
    },
  }
}
