import { type Json, parseJson } from '../kernel/json.ts'

export type StrictJson = { kind: 'json'; value: Json } | { kind: 'not-json'; reason: string }

const MOST_DEPTH = 64
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]]/g
const IS_KEY = /\s*:/y

/** JSON that means the same to every reader: a key that stands twice, or values nested so deep that some reader gives up, are
 *  refused. What is signed must not have two readings. */
export function strictJson(text: string): StrictJson {
  const value = parseJson(text)
  if (value === undefined) return { kind: 'not-json', reason: 'it is not JSON' }
  const reason = ambiguity(text)
  return reason === null ? { kind: 'json', value } : { kind: 'not-json', reason }
}

// Over text that is known to be JSON, so strings and brackets are all there is to tell apart.
function ambiguity(text: string): string | null {
  const open: (Set<string> | null)[] = []
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') {
      if (open.push(token === '{' ? new Set() : null) > MOST_DEPTH) return `it is nested deeper than ${MOST_DEPTH} levels`
    } else if (token === '}' || token === ']') open.pop()
    else {
      IS_KEY.lastIndex = index + token.length
      const keys = open.at(-1)
      if (!keys || !IS_KEY.test(text)) continue
      const key = String(JSON.parse(token))
      if (keys.has(key)) return `the key ${JSON.stringify(key)} stands twice`
      keys.add(key)
    }
  }
  return null
}
