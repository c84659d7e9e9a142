const MOST_SHOWN = 30_000
const MOST_KEPT = 4_000_000

/** Results that were too long to show at once, for as long as the run lives; the oldest go first. */
export interface LongResults {
  /** The beginning of a text, and how to read on. */
  first: (text: string) => string
  /** Null: it is not kept. */
  more: (id: string, offset: number) => string | null
}

export function createLongResults(): LongResults {
  const kept = new Map<string, string>()
  let held = 0
  let last = 0
  const part = (id: string, text: string, offset: number): string => {
    const next = offset + MOST_SHOWN
    const rest = text.length - next
    const shown = text.slice(offset, next)
    return rest > 0 ? `${shown}\n[${rest} more characters; go on with mcp_find {"result":"${id}","offset":${next}}]` : shown
  }
  const keep = (text: string): string => {
    const id = `r${++last}`
    kept.set(id, text)
    held += text.length
    for (const [oldest, { length }] of kept) {
      if (held <= MOST_KEPT || oldest === id) break
      kept.delete(oldest)
      held -= length
    }
    return id
  }
  return {
    first: text => (text.length <= MOST_SHOWN ? text : part(keep(text), text, 0)),
    more: (id, offset) => {
      const text = kept.get(id)
      return text === undefined ? null : part(id, text, offset)
    },
  }
}
