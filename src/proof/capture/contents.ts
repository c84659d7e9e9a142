import type { Git } from '../../sandbox/git/git.ts'
import { readBlobs } from '../../sandbox/git/tree.ts'

export interface Content {
  size: number
  binary: boolean
  /** Null where it is binary or longer than anyone would read. */
  text: string | null
}

const MOST_TEXT_BYTES = 1 << 20
/** As git looks for a zero byte. */
const BINARY_BYTES = 8000

/** The contents of blobs by their name, read by one process. What is long is counted and not kept. */
export async function readContents(git: Git, oids: Iterable<string>): Promise<Map<string, Content>> {
  const found = new Map<string, Content>()
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let current: { oid: string; size: number; chunks: Buffer[]; kept: number } | null = null
  await readBlobs(git, [...new Set(oids)], {
    begin: (oid, size) => {
      current = { oid, size, chunks: [], kept: 0 }
    },
    data: chunk => {
      if (current === null || current.kept >= Math.min(current.size, current.size > MOST_TEXT_BYTES ? BINARY_BYTES : MOST_TEXT_BYTES))
        return
      current.chunks.push(chunk)
      current.kept += chunk.length
    },
    end: () => {
      if (current === null) return
      const { oid, size, chunks } = current
      const bytes = Buffer.concat(chunks)
      const binary = bytes.subarray(0, BINARY_BYTES).includes(0)
      found.set(oid, { size, binary, text: binary || size > MOST_TEXT_BYTES ? null : decoder.decode(bytes) })
      current = null
    },
  })
  return found
}
