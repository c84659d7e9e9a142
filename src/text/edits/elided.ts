import { literalReplacement } from './apply-sed.ts'
import { isProseFile } from './detect.ts'
import { linesOf, trimBlanks } from './lines.ts'
import type { Step } from './parsed.ts'
import { quoted, refuse } from './refusal.ts'

const COMMENT = /^(?:\/\/|#|--|\/\*|\*|<!--|;|%)/
const ELLIPSIS = /\.\.\.|…/
const PLACEHOLDER = /\b(?:existing|rest|remaining|unchanged|omitted|same as before)\b/i

/** Refuses a step whose new text leaves out code. */
export function checkNotElided(step: Step, { path, original }: { path: string | undefined; original: string }): void {
  const line = isProseFile(path) ? undefined : elidedLine(addedText(step), original)
  if (line !== undefined)
    refuse('elided', `${quoted(line)} stands for code that was left out. Write that code in full, or edit only the lines that change.`)
}

function addedText(step: Step): string {
  switch (step.kind) {
    case 'lines':
      return step.ops
        .filter(({ kind }) => kind === 'add')
        .map(({ text }) => text)
        .join('\n')
    case 'text':
      return step.replace
    case 'sed':
      return literalReplacement(step)
    case 'content':
      return step.content
  }
}

/** The first added line that stands for code which was left out, unless the file itself has that line. */
function elidedLine(added: string, original: string): string | undefined {
  if (!ELLIPSIS.test(added)) return undefined
  const candidates = linesOf(added)
    .map(trimBlanks)
    .filter(line => COMMENT.test(line) && ELLIPSIS.test(line) && PLACEHOLDER.test(line))
  if (candidates.length === 0) return undefined
  const known = new Set(linesOf(original).map(trimBlanks))
  return candidates.find(line => !known.has(line))
}
