import { closesFence, type EditText, fenceKind, isFenceOpening, pathIn } from './edit-text.ts'
import { isBlankLine } from './lines.ts'
import type { FileEdit, Reading } from './parsed.ts'
import { malformed } from './refusal.ts'

/** Whole files in a reply: each in a fence with its path on the line directly above. Their line ends are those that were written. */
export function readFencedFiles({ lines, firstLine }: EditText, written: string): Reading {
  const asWritten = written.split('\n')
  const files: FileEdit[] = []
  // Where a fence is not closed, later ones of its kind are not either, and need no search of their own.
  const unclosed = new Set<string>()
  for (let i = 0; i < lines.length; i++) {
    const opening = lines[i] ?? ''
    if (!isFenceOpening(opening)) continue
    const kind = fenceKind(opening)
    const end = unclosed.has(kind) ? -1 : closingOf(lines, i)
    const path = i > 0 && !isBlankLine(lines[i - 1] ?? '') ? pathIn(lines[i - 1] ?? '') : undefined
    if (end < 0) {
      unclosed.add(kind)
      if (path !== undefined) malformed(`The fence below ${path} is not closed. Send the file again, complete.`, firstLine + i)
      continue
    }
    if (path !== undefined) {
      const content = asWritten
        .slice(i + 1, end)
        .map(line => `${line}\n`)
        .join('')
      files.push({ path, intent: 'edit', steps: [{ kind: 'content', content, as: 'text', line: firstLine + i }], line: firstLine + i })
    }
    i = end
  }
  if (files.length === 0)
    malformed('There is no file in the text: write its path on a line, and its whole content in a fence below.', firstLine)
  return { files, warnings: [] }
}

function closingOf(lines: readonly string[], opening: number): number {
  for (let i = opening + 1; i < lines.length; i++) if (closesFence(lines[opening] ?? '', lines[i] ?? '')) return i
  return -1
}
