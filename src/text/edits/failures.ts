import type { Search } from './levels.ts'
import { SHOWN } from './limits.ts'
import { lineAround, lineNumberAt } from './lines.ts'
import type { Located } from './locate.ts'
import { nearest } from './near.ts'
import { quoted, refuse, shortened } from './refusal.ts'
import type { StepContext } from './step.ts'
import type { TextView } from './text-view.ts'
import type { EditError } from './types.ts'

export function missing(wanted: string): never {
  refuse(
    'missing_file',
    `There is no such file, so ${quoted(wanted)} cannot be replaced in it. Create the file with its whole content, or correct the path.`,
  )
}

interface Failure {
  search: Search
  replacement: string
  hint: string
  context: StepContext
}

export function notOne(found: Located, view: TextView, { search, replacement, hint, context }: Failure): never {
  const wanted = search.text ?? search.lines?.old.join('\n') ?? ''
  if (found.kind === 'many') ambiguous(view.text, { wanted, count: found.count, offsets: found.places.map(({ offset }) => offset), hint })
  const near = context.explain ? nearest(view, { search, replacement }) : undefined
  refuse('not_found', `${quoted(wanted)} was not found. ${nearSentence(near)}`, near ? { near } : {})
}

const NEAR_SENTENCES: Record<NonNullable<EditError['near']>['reason'], (line: number) => string> = {
  applied: line => `The new text is already there at line ${line}; leave this edit out if that is what you want.`,
  order: line => `It stands at line ${line}, before the end of the edit above it; order the edits as the file does.`,
  midline: line => `It stands inside line ${line}; give whole lines.`,
  whitespace: line => `Line ${line} differs only in blanks; copy it exactly.`,
  unicode: line => `Line ${line} differs only in the form of characters; copy it exactly.`,
  case: line => `Line ${line} differs only in upper and lower case; copy it exactly.`,
  content: line => `The most similar text starts at line ${line}; read the file again and copy the lines exactly.`,
}

function nearSentence(near: EditError['near']): string {
  return near ? NEAR_SENTENCES[near.reason](near.line) : 'Nothing like it is in the file; read the file again and copy the lines exactly.'
}

export function ambiguous(text: string, found: { wanted: string; count: number; offsets: readonly number[]; hint: string }): never {
  const matches = found.offsets.map(offset => ({
    line: lineNumberAt(text, offset),
    text: shortened(lineAround(text, offset), SHOWN.placeText),
  }))
  const lines = [...new Set(matches.map(({ line }) => line))]
  refuse(
    'ambiguous',
    `${quoted(found.wanted)} occurs ${found.count} times (lines ${lines.join(', ')}). To mean one place, give ${found.hint}.`,
    {
      count: found.count,
      matches,
    },
  )
}
