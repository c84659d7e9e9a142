import type { Blobs } from '../../store/blobs.ts'

const MOST_SHOWN = 30_000

/** Results that are too long to show at once, kept beside the log: whoever goes on with the run can read on too. */
export interface LongResults {
  /** The beginning of a text, and how to read on. */
  first: (text: string) => string
  /** Null: it is not kept. */
  more: (id: string, offset: number) => string | null
}

export function createLongResults({ put, get }: Pick<Blobs, 'put' | 'get'>): LongResults {
  const part = (id: string, text: string, offset: number): string => {
    const next = offset + MOST_SHOWN
    const rest = text.length - next
    const shown = text.slice(offset, next)
    return rest > 0 ? `${shown}\n[${rest} more characters; go on with mcp_find {"result":"${id}","offset":${next}}]` : shown
  }
  return {
    first: text => (text.length <= MOST_SHOWN ? text : part(put(text), text, 0)),
    more: (id, offset) => {
      const text = get(id)
      return text === null ? null : part(id, text, offset)
    },
  }
}
