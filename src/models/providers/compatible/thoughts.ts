import { isPlainObject } from '../../../kernel/json.ts'
import { objectOf, textOf } from './read.ts'

/** What stands in `content`: a text, or a list of pieces of which some were thought and not said. */
export function textsOf(content: unknown): { thinking: string; text: string } {
  if (!Array.isArray(content)) return { thinking: '', text: textOf(content) }
  const pieces = content.map(objectOf)
  return {
    thinking: pieces
      .map(piece => (Array.isArray(piece['thinking']) ? textsOf(piece['thinking']).text : textOf(piece['thinking'])))
      .join(''),
    text: pieces.map(piece => textOf(piece['text'])).join(''),
  }
}

const GROWING: ReadonlySet<string> = new Set(['text', 'summary', 'data'])

/** Joins streamed pieces of `reasoning_details`: they have to be sent back whole, in their order. */
export function addDetails(details: Record<string, unknown>[], pieces: unknown): void {
  if (!Array.isArray(pieces)) return
  for (const piece of pieces.filter(isPlainObject)) {
    const last = details.at(-1)
    if (!last || last['type'] !== piece['type'] || last['index'] !== piece['index']) details.push({ ...piece })
    else
      for (const [key, value] of Object.entries(piece))
        last[key] = GROWING.has(key) ? textOf(last[key]) + textOf(value) : (value ?? last[key])
  }
}
