import type { Change, FileSide, ProofFacts } from '../facts.ts'
import { testSide } from '../judges/test-side.ts'
import { languageOf } from '../source/language.ts'
import { diffLines, type LineDiff } from '../source/line-diff.ts'
import { Source } from '../source/source.ts'
import { testParts } from '../source/test-part.ts'

/** A changed file as the text rules look at it. A moved file is compared with what it was before it moved. */
export interface FileView {
  path: string
  change: Change
  before: FileSide | null
  after: FileSide | null
  isTest: boolean
  /** Null where the language is not known or there is no text. */
  old: Source | null
  now: Source | null
  diff: LineDiff
}

const views = new WeakMap<ProofFacts, FileView[]>()
const sources = new WeakMap<FileSide, Source | null>()

/** One view of each change, made once for all rules. */
export function viewsOf(facts: ProofFacts): FileView[] {
  const known = views.get(facts)
  if (known) return known
  const isTest = testSide(facts.settings)
  const byPath = new Map(facts.changes.map(change => [change.path, change]))
  const made = facts.changes.map((change): FileView => {
    const before = change.before ?? byPath.get(change.moved_from ?? '')?.before ?? null
    const { path, after } = change
    const old = before && sourceOf(change.before ? path : (change.moved_from ?? path), before)
    const now = after && sourceOf(path, after)
    return { path, change, before, after, isTest: isTest(path), old, now, diff: diffOf(before, after) }
  })
  views.set(facts, made)
  return made
}

function sourceOf(path: string, side: FileSide): Source | null {
  const known = sources.get(side)
  if (known !== undefined) return known
  const language = side.text === null || side.mode === '120000' ? null : languageOf(path, side.text)
  const source = language === null || side.text === null ? null : new Source(side.text, language)
  sources.set(side, source)
  return source
}

function diffOf(before: FileSide | null, after: FileSide | null): LineDiff {
  return hasText(after) ? diffLines(linesOf(before), linesOf(after)) : { hunks: [], removed: [], added: [] }
}

const hasText = (side: FileSide | null): boolean => typeof side?.text === 'string'

/** Lines without their ends: another line end makes no line new. None where there is no text. */
function linesOf(side: FileSide | null): string[] {
  const lines = (side?.text ?? '').split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}

export interface AddedLine {
  /** From 1. */
  line: number
  text: string
  blanked: string
}

/** What the change adds, line by line. */
export function addedLines({ after, now, diff }: Pick<FileView, 'after' | 'now' | 'diff'>): AddedLine[] {
  const lines = linesOf(after)
  return diff.added.map(line => ({
    line: line + 1,
    text: lines[line] ?? '',
    blanked: now ? now.lineOf('code', line) : (lines[line] ?? ''),
  }))
}

/** Lines that were only moved: for each text how often the change takes it away somewhere. */
export function removedTexts(all: readonly FileView[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { change, before, after, diff } of all) {
    // A file that went elsewhere is compared there.
    if (change.moved_to !== undefined) continue
    const lines = linesOf(before)
    for (const line of hasText(after) ? diff.removed : lines.keys()) {
      const text = (lines[line] ?? '').trim()
      counts.set(text, (counts.get(text) ?? 0) + 1)
    }
  }
  return counts
}

/** Takes one off a count; false where there is none left. */
export function takeOne(counts: Map<string, number>, key: string): boolean {
  const count = counts.get(key) ?? 0
  if (count > 0) counts.set(key, count - 1)
  return count > 0
}

/** Views whose text counts as test, with the code that does: whole test-side files, and test modules inside production files. */
export function holdsTests(view: FileView): boolean {
  return view.isTest || [view.old, view.now].some(source => source !== null && testParts(source).length > 0)
}
