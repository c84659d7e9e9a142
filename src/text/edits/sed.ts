import type { EditText } from './edit-text.ts'
import { isBlankLine, lineCounter } from './lines.ts'
import type { Reading, SedStep } from './parsed.ts'
import { malformed } from './refusal.ts'

/** Substitution commands. What a command does is decided when it is applied, because that depends on the text. */

const DELIMITERS = '/|#,@!%~:'
const FLAGS = /^[giImMsu]*$/
const LIKELY = /^\s*s[/|#]/

export function opensCommands(text: EditText): boolean {
  const filled = text.lines.filter(line => !isBlankLine(line))
  if (filled.length === 0 || !/^\s*s[/|#,@!%~:]/.test(filled[0] ?? '')) return false
  return filled.every(line => LIKELY.test(line)) || parse(text).kind === 'commands'
}

export function readCommands(text: EditText): Reading {
  const parsed = parse(text)
  if (parsed.kind === 'broken') malformed(parsed.message, parsed.line)
  return { files: [{ path: undefined, intent: 'edit', steps: parsed.steps, line: text.firstLine }], warnings: [] }
}

type Parsed = { kind: 'commands'; steps: SedStep[] } | { kind: 'broken'; message: string; line: number }

function parse({ text, firstLine, deadline }: EditText): Parsed {
  const steps: SedStep[] = []
  const lineAt = lineCounter(text, firstLine)
  let at = afterSeparators(text, 0)
  while (at < text.length) {
    deadline.check()
    const line = lineAt(at)
    const delimiter = text[at + 1] ?? ''
    if (text[at] !== 's' || delimiter === '' || !DELIMITERS.includes(delimiter))
      return { kind: 'broken', line, message: 'Only commands of the form s/search/replace/flags are taken, separated by ; or line breaks.' }
    const search = readPart(text, at + 2, delimiter)
    const replacement = search && (readPart(text, search.end, delimiter) ?? unclosedRest(text, search.end, delimiter))
    if (!search || !replacement)
      return {
        kind: 'broken',
        line,
        message: `The command that starts with s${delimiter} is not complete: it needs ${delimiter} three times.`,
      }
    const flags = /[^;\s]*/y
    flags.lastIndex = replacement.end
    const written = flags.exec(text)?.[0] ?? ''
    if (!FLAGS.test(written))
      return {
        kind: 'broken',
        line,
        message: `${JSON.stringify(written)} is no flag; known are g i I m M s u. Write ${delimiter} inside a text as \\${delimiter}, or choose another delimiter out of ${DELIMITERS}.`,
      }
    const own = (part: string): string => part.replaceAll(`\\${delimiter}`, delimiter)
    steps.push({ kind: 'sed', search: own(search.part), replacement: replacement.part, delimiter, flags: written, line })
    at = afterSeparators(text, replacement.end + written.length)
  }
  return steps.length > 0
    ? { kind: 'commands', steps }
    : { kind: 'broken', line: firstLine, message: 'There is no command s/search/replace/flags.' }
}

interface Part {
  part: string
  end: number
}

function readPart(text: string, from: number, delimiter: string): Part | undefined {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === delimiter) return { part: text.slice(from, at), end: at + 1 }
  }
  return undefined
}

/** The last `/` of the last command may be missing, unless that would delete. */
function unclosedRest(text: string, from: number, delimiter: string): Part | undefined {
  const rest = text.slice(from).trimEnd()
  return delimiter === '/' && rest !== '' && !rest.includes('\n') ? { part: rest, end: text.length } : undefined
}

function afterSeparators(text: string, from: number): number {
  let at = from
  while (at < text.length && /[;\s]/.test(text[at] ?? '')) at++
  return at
}
