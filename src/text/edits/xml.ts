import { textStep } from './attributes.ts'
import type { EditText } from './edit-text.ts'
import { lineCounter } from './lines.ts'
import type { Reading, TextStep } from './parsed.ts'
import { malformed } from './refusal.ts'

/** Elements with the old and the new text. Their contents are not XML and end at the first closing tag. */

/** Names for old and new that go together. */
export const PAIR_NAMES: readonly (readonly [string, string])[] = [
  ['old_text', 'new_text'],
  ['old_string', 'new_string'],
  ['old_str', 'new_str'],
  ['search', 'replace'],
]

/** Also an HTML element, so that only both together open the format. */
const HTML_NAME = 'search'

export function opensElements({ text }: EditText): boolean {
  const start = text.trimStart()
  const pair = PAIR_NAMES.find(([old]) => start.startsWith(`<${old}>`))
  if (!pair) return false
  if (pair[0] !== HTML_NAME) return true
  const close = start.indexOf(`</${pair[0]}>`)
  return (
    close >= 0 &&
    start
      .slice(close + pair[0].length + 3)
      .trimStart()
      .startsWith(`<${pair[1]}>`)
  )
}

export function readElements({ text, firstLine }: EditText): Reading {
  const steps: TextStep[] = []
  let at = skipSpace(text, 0)
  const lineAt = lineCounter(text, firstLine)
  while (at < text.length || steps.length === 0) {
    const pair = PAIR_NAMES.find(([old]) => text.startsWith(`<${old}>`, at))
    if (!pair) malformed(`An element such as <${PAIR_NAMES[0]?.[0]}> was expected here.`, lineAt(at))
    const old = readElement(text, at, pair[0], lineAt)
    const fresh = readElement(text, skipSpace(text, old.end), pair[1], lineAt)
    steps.push(textStep({ search: old.content, replace: fresh.content }, lineAt(at)))
    at = skipSpace(text, fresh.end)
  }
  return { files: [{ path: undefined, intent: 'edit', steps, line: firstLine }], warnings: [] }
}

function readElement(text: string, at: number, name: string, lineAt: (offset: number) => number): { content: string; end: number } {
  const open = `<${name}>`
  const close = `</${name}>`
  if (!text.startsWith(open, at)) malformed(`The element ${open} was expected here.`, lineAt(at))
  const end = text.indexOf(close, at + open.length)
  if (end < 0) malformed(`The element ${open} is not closed by ${close}.`, lineAt(at))
  return { content: withoutFrame(text.slice(at + open.length, end)), end: end + close.length }
}

/** Line breaks that only set the tags apart from the text, one at each end. */
function withoutFrame(content: string): string {
  return content.length > 1 && content.startsWith('\n') && content.endsWith('\n') ? content.slice(1, -1) : content
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && /\s/.test(text[at] ?? '')) at++
  return at
}
