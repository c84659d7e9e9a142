import { closesFence, type EditText, trimmedText } from './edit-text.ts'
import type { Reading } from './parsed.ts'
import type { Warning } from './types.ts'

/** Anything that is no edit is the new content. */
export function readWhole(written: string, text: EditText): Reading {
  const { lines } = trimmedText(text)
  const fenced = lines.length > 1 && closesFence(lines[0] ?? '', lines.at(-1) ?? '')
  const warnings: Warning[] = fenced
    ? [
        {
          code: 'fenced_body',
          message: 'The content is wrapped in a code fence, and the fence was kept. Send the bare content if it is not part of the file.',
        },
      ]
    : []
  return {
    files: [{ path: undefined, intent: 'edit', steps: [{ kind: 'content', content: written, as: 'text', line: 1 }], line: 1 }],
    warnings,
  }
}
