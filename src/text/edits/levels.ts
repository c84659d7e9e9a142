import type { Deadline } from './deadline.ts'
import { folded, inFileForm, isFoldable } from './folding.ts'
import { keepingCommonLines, type Op } from './line-edit.ts'
import { indentLength, indentOf, isBlankLine, trimBlanks, trimEndBlanks } from './lines.ts'
import { eachLineRun, eachOccurrence } from './occurrences.ts'
import type { LineKey, TextView } from './text-view.ts'
import type { Match } from './types.ts'

/** What is looked for. */
export interface Search {
  /** Only places at or after this offset, which is the start of a line. */
  from: number
  /** The text itself where it may stand inside a line; undefined where whole lines are wanted. */
  text: string | undefined
  /** The edit as whole lines; undefined where the text has no such reading. */
  lines: { ops: readonly Op[]; old: readonly string[] } | undefined
  /** Only places that end with the last line. */
  atEnd: boolean
  /** Where a line number of the original stands now. */
  carried: (line: number) => number
  deadline: Deadline
}

/** One place, and the edit as it has to be written there. */
export interface Place {
  offset: number
  ops: readonly Op[]
}

/** One way for two texts to be the same. The first level with a place decides; `visit` answers false to end the search. */
export interface Level {
  name: Match
  visit(view: TextView, search: Search, visit: (place: Place) => boolean): void
}

const exact: Level = {
  name: 'exact',
  visit(view, { text, lines, from, atEnd }, visit) {
    const ops = lines?.ops ?? []
    if (text !== undefined) return eachOccurrence(view.text, text, from, offset => visit({ offset, ops }))
    if (lines === undefined || lines.old.length === 0) return
    const last = view.text.endsWith('\n') ? view.text.length - 1 : view.text.length
    eachLineRun(view.text, lines.old, from, (offset, end) => (atEnd && end < last ? true : visit({ offset, ops })))
  },
}

const NUMBER = /^(\d{1,9})( \| |\||\t|: |→)/

const numbered: Level = {
  name: 'numbered',
  visit(view, { lines, from, atEnd, carried }, visit) {
    const opening = NUMBER.exec(lines?.old[0] ?? '')
    const separator = opening?.[2]
    if (!lines || separator === undefined) return
    const first = Number(opening?.[1])
    const rest = lines.old.map((line, i) => withoutNumber(line, separator, first + i))
    const start = carried(first) - 1
    const fits = rest.every((line, i) => line !== undefined && line === view.lines[start + i])
    if (!fits || view.startOf(start) < from || (atEnd && start + rest.length !== view.lines.length)) return
    visit({ offset: view.startOf(start), ops: keepingCommonLines(withoutNumbers(lines.ops, separator)) })
  },
}

function withoutNumber(line: string, separator: string, wanted?: number): string | undefined {
  const found = NUMBER.exec(line)
  if (!found || found[2] !== separator || (wanted !== undefined && Number(found[1]) !== wanted)) return undefined
  return line.slice(found[0].length)
}

function withoutNumbers(ops: readonly Op[], separator: string): Op[] {
  const bare = (text: string): string => withoutNumber(text, separator) ?? text
  const all = ops.every(({ kind, text }) => kind !== 'add' || withoutNumber(text, separator) !== undefined)
  return ops.map(op => (op.kind === 'add' && !all ? op : { ...op, text: bare(op.text) }))
}

/** Turns added lines into the file's form, given the lines that they replace; undefined where that is not possible. */
type Rewrite = (added: string[], dropped: { search: string[]; file: string[] }) => string[] | undefined

/** Compares the search with the file's lines at a place whose keys are equal. */
type Fit = (search: readonly string[], file: readonly string[], at: number) => Rewrite | undefined

interface Tolerance {
  name: Match
  key: LineKey
  fit: Fit
  /** False where the level cannot find more than the one before it. */
  worthwhile?: (view: TextView, old: readonly string[]) => boolean
}

const trailing: Tolerance = { name: 'trailing', key: trimEndBlanks, fit: () => added => added }

const shift: Tolerance = {
  name: 'shift',
  key: trimBlanks,
  fit(search, file, at) {
    const first = search.findIndex(line => !isBlankLine(line))
    const own = indentOf(search[first] ?? '')
    const theirs = indentOf(file[at + first] ?? '')
    const deeper = theirs.endsWith(own)
    const run = deeper ? theirs.slice(0, theirs.length - own.length) : own.endsWith(theirs) ? own.slice(0, own.length - theirs.length) : ''
    if (run === '') return undefined
    const same = search.every((line, i) => {
      const other = file[at + i] ?? ''
      return isBlankLine(line) || (deeper ? indentOf(other) === run + indentOf(line) : indentOf(line) === run + indentOf(other))
    })
    if (!same) return undefined
    return added => everyLine(added, line => (deeper ? run + line : line.startsWith(run) ? line.slice(run.length) : undefined))
  },
}

const map: Tolerance = {
  name: 'map',
  key: trimBlanks,
  fit(search, file, at) {
    const counterparts = indentPairs(search, file, at, indentLength)
    if (!counterparts) return undefined
    return added => everyLine(added, line => withIndent(line, counterparts, indentLength))
  },
}

const fold: Tolerance = {
  name: 'fold',
  key: line => trimBlanks(folded(line)),
  worthwhile: (view, old) => isFoldable(view.text) || old.some(isFoldable),
  fit(search, file, at) {
    const counterparts = indentPairs(search, file, at, foldedIndentLength)
    if (!counterparts) return undefined
    return (added, dropped) => {
      const formed = inFileForm({ search: bodies(dropped.search), file: bodies(dropped.file), replacement: bodies(added) }).split('\n')
      const indents = everyLine(added, line => withIndent(line, counterparts, foldedIndentLength)?.slice(0, -contentLength(line)))
      return indents && added.map((line, i) => (isBlankLine(line) ? line : `${indents[i] ?? ''}${formed[i] ?? ''}${trailingBlanks(line)}`))
    }
  },
}

function everyLine(lines: readonly string[], rewrite: (line: string) => string | undefined): string[] | undefined {
  const result: string[] = []
  for (const line of lines) {
    const written = isBlankLine(line) ? line : rewrite(line)
    if (written === undefined) return undefined
    result.push(written)
  }
  return result
}

type IndentLength = (line: string) => number

/** Which indentation of the file stands against each one of the search; undefined if one stands against two. */
function indentPairs(
  search: readonly string[],
  file: readonly string[],
  at: number,
  length: IndentLength,
): Map<string, string> | undefined {
  const pairs = new Map<string, string>()
  for (const [i, line] of search.entries()) {
    if (isBlankLine(folded(line))) continue
    const other = file[at + i] ?? ''
    const own = folded(line.slice(0, length(line)))
    const theirs = other.slice(0, length(other))
    const known = pairs.get(own)
    if (known !== undefined && known !== theirs) return undefined
    pairs.set(own, theirs)
  }
  return pairs
}

function withIndent(line: string, counterparts: Map<string, string>, length: IndentLength): string | undefined {
  const own = length(line)
  const theirs = counterparts.get(folded(line.slice(0, own)))
  return theirs === undefined ? undefined : theirs + line.slice(own)
}

// Every folded blank stands for one unit, so lengths of folded and written indentation agree.
const foldedIndentLength: IndentLength = line => indentLength(folded(line))

const contentLength = (line: string): number => line.length - foldedIndentLength(line)

function trailingBlanks(line: string): string {
  return line.slice(trimEndBlanks(line).length)
}

/** The lines without blanks at their ends, as the file or the edit writes them. */
function bodies(lines: readonly string[]): string {
  return lines
    .map(line => {
      const start = foldedIndentLength(line)
      const end = trimEndBlanks(folded(line)).length
      // Only `…` changes a length by folding, and it is no blank: the blanks at the end have the same length in both forms.
      return line.slice(start, line.length - (folded(line).length - end))
    })
    .join('\n')
}

function tolerant({ name, key, fit, worthwhile }: Tolerance): Level {
  return {
    name,
    visit(view, { lines, from, atEnd, deadline }, visit) {
      if (!lines || lines.old.every(isBlankLine) || worthwhile?.(view, lines.old) === false) return
      const { ops, old } = lines
      const first = atEnd ? Math.max(view.lineFrom(from), view.lines.length - old.length) : view.lineFrom(from)
      for (const at of view.runs(key, old, first)) {
        deadline.check()
        const rewrite = fit(old, view.lines, at)
        const written = rewrite && rewritten(ops, view.lines, at, rewrite)
        if (written && !visit({ offset: view.startOf(at), ops: written })) return
      }
    },
  }
}

function rewritten(ops: readonly Op[], file: readonly string[], at: number, rewrite: Rewrite): Op[] | undefined {
  const result: Op[] = []
  let line = at
  for (let i = 0; i < ops.length; ) {
    const op = ops[i]
    if (op === undefined) break
    if (op.kind === 'keep') {
      result.push(op)
      line++
      i++
      continue
    }
    const added: string[] = []
    const dropped = { search: [] as string[], file: [] as string[] }
    for (let next = ops[i]; next !== undefined && next.kind !== 'keep'; next = ops[++i]) {
      if (next.kind === 'add') added.push(next.text)
      else {
        dropped.search.push(next.text)
        dropped.file.push(file[line++] ?? '')
        result.push(next)
      }
    }
    const written = rewrite(added, dropped)
    if (!written) return undefined
    for (const text of written) result.push({ kind: 'add', text })
  }
  return result
}

/** From strict to tolerant. */
export const LEVELS: readonly Level[] = [exact, numbered, tolerant(trailing), tolerant(shift), tolerant(map), tolerant(fold)]
