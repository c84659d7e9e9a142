import { type EditText, trimmedText } from './edit-text.ts'
import type { Reading } from './parsed.ts'
import { malformed } from './refusal.ts'
import { isBrokenOpener, isCloser, isSeparator, opensBlock } from './search-replace.ts'

/** The second half of a block alone: its lines become the whole file. */

export function opensReplacement(text: EditText): boolean {
  const { lines } = trimmedText(text)
  return lines.length > 1 && isSeparator(lines[0] ?? '') && isCloser(lines.at(-1) ?? '')
}

export function readReplacement(text: EditText): Reading {
  if (!opensReplacement(text)) malformed('The text starts with a line of "=" and ends with a line >>>>>>> REPLACE.', text.firstLine)
  const { lines, firstLine } = trimmedText(text)
  const inside = lines.slice(1, -1)
  const marker = inside.findIndex(line => opensBlock(line) || isBrokenOpener(line) || isCloser(line))
  if (marker >= 0)
    malformed('A marker stands inside the new content, so a part of a block is missing. Write whole blocks.', firstLine + 1 + marker)
  const content = inside.map(line => `${line}\n`).join('')
  return {
    files: [{ path: undefined, intent: 'edit', steps: [{ kind: 'content', content, as: 'lines', line: firstLine }], line: firstLine }],
    warnings: [],
  }
}
