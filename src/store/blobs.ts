import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { NotFound } from '../kernel/errors.ts'
import type { KeptText } from '../kernel/kept-text.ts'
import { makeFolder, readFileIfThere, writeFileAtomically } from './files.ts'

const MOST_INLINE_BYTES = 64 << 10
const PREVIEW = 2_000

/** Long texts beside the log, by their digest. What is handed in must be redacted already. */
export interface Blobs {
  /** A text as an event holds it: as it is, or by its digest where it is long. */
  keep: (text: string) => KeptText
  /** Throws `not_found` where the file is gone. */
  read: (kept: KeptText) => string
  /** Keeps a text of any length, and gives its digest. */
  put: (text: string) => string
  /** Null: there is none of this name. */
  get: (digest: string) => string | null
  /** Removes a text for good; false: there was none. */
  drop: (digest: string) => boolean
}

export function createBlobs(folder: string): Blobs {
  const fileOf = (digest: string): string => join(folder, digest.slice(0, 2), digest)
  const put: Blobs['put'] = text => {
    const digest = createHash('sha256').update(text).digest('hex')
    makeFolder(join(folder, digest.slice(0, 2)), { private: true })
    if (readFileIfThere(fileOf(digest)) !== text) writeFileAtomically(fileOf(digest), text, { private: true })
    return digest
  }
  const get: Blobs['get'] = digest => (/^[0-9a-f]{64}$/.test(digest) ? readFileIfThere(fileOf(digest)) : null)
  return {
    put,
    get,
    drop: digest => {
      if (get(digest) === null) return false
      rmSync(fileOf(digest))
      return true
    },
    keep: text => {
      const bytes = Buffer.byteLength(text)
      return bytes <= MOST_INLINE_BYTES ? text : { blob: put(text), bytes, preview: text.slice(0, PREVIEW) }
    },
    read: kept => {
      if (typeof kept === 'string') return kept
      const text = get(kept.blob)
      if (text === null)
        throw new NotFound(`The text ${kept.blob} is not kept any more.`, { details: { blob: kept.blob, bytes: kept.bytes } })
      return text
    },
  }
}
