import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { NotFound } from '../kernel/errors.ts'
import type { KeptText } from '../kernel/kept-text.ts'
import { makeFolder, readFileIfThere, writeFileAtomically } from './files.ts'

const MOST_INLINE_BYTES = 64 << 10
const PREVIEW = 2_000

/** Long texts beside the log, by their digest. What is handed in must be redacted already. */
export interface Blobs {
  keep: (text: string) => KeptText
  /** Throws `not_found` where the file is gone. */
  read: (kept: KeptText) => string
}

export function createBlobs(folder: string): Blobs {
  const fileOf = (digest: string): string => join(folder, digest.slice(0, 2), digest)
  return {
    keep: text => {
      const bytes = Buffer.byteLength(text)
      if (bytes <= MOST_INLINE_BYTES) return text
      const digest = createHash('sha256').update(text).digest('hex')
      makeFolder(join(folder, digest.slice(0, 2)), { private: true })
      if (readFileIfThere(fileOf(digest)) !== text) writeFileAtomically(fileOf(digest), text, { private: true })
      return { blob: digest, bytes, preview: text.slice(0, PREVIEW) }
    },
    read: kept => {
      if (typeof kept === 'string') return kept
      const text = readFileIfThere(fileOf(kept.blob))
      if (text === null)
        throw new NotFound(`The text ${kept.blob} is not kept any more.`, { details: { blob: kept.blob, bytes: kept.bytes } })
      return text
    },
  }
}
