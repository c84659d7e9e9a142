import type { ProofFacts } from '../../facts.ts'
import type { Source } from '../../source/source.ts'
import { blockAt, type TestBlock, testBlocks } from '../../source/test-blocks.ts'
import { splitTests } from '../../source/test-part.ts'
import { type FindingRule, finding } from '../rule.ts'
import { type FileView, holdsTests, takeOne, viewsOf } from '../view.ts'
import { type Mark, marksIn, optionMarks, TOKENS } from './tokens.ts'

// Marks that keep tests from running. Only what is added counts: a mark that stood at the same test in the base may stay, move with
// it, or be kept when the test gets another title.

interface PlacedMark extends Mark {
  /** From 0. */
  line: number
  title: string | undefined
  key: string
}

type Kind = 'skip' | 'focus'

export const testSkipped: FindingRule = facts => added(facts, 'skip').map(found => finding('test.skipped', found))
export const testOnly: FindingRule = facts => added(facts, 'focus').map(found => finding('test.only', found))

function added(facts: ProofFacts, kind: Kind): { path: string; line: number; measured: string }[] {
  const views = viewsOf(facts).filter(view => view.change.moved_to === undefined && holdsTests(view))
  const before = new Map(views.map(view => [view, view.old ? placed(view, view.old, kind) : []]))
  const base = new Map<string, number>()
  for (const mark of [...before.values()].flat()) base.set(mark.key, (base.get(mark.key) ?? 0) + 1)
  const titles = new Set(views.flatMap(view => (view.old ? testBlocks(view.old).map(block => block.title) : [])))

  const after = views.flatMap(view => (view.now ? placed(view, view.now, kind).map(mark => ({ view, mark })) : []))
  const isNew = after.filter(({ mark }) => !takeOne(base, mark.key))
  return isNew
    .filter(({ view, mark }) => !isRetitled(view, mark, { before: before.get(view) ?? [], base, titles }))
    .map(({ view, mark }) => ({ path: view.path, line: mark.line + 1, measured: mark.text }))
}

function placed(view: FileView, source: Source, kind: Kind): PlacedMark[] {
  const code = view.isTest ? source.code : splitTests(source).tests
  const tokens = TOKENS[source.language]
  const inComments = kind === 'skip' ? tokens.skipInComments : tokens.focusInComments
  const blocks = testBlocks(source)
  const marks = [
    ...marksIn(code, tokens[kind]),
    ...optionMarks(source, code, kind === 'skip' ? ['skip', 'todo'] : ['only']),
    ...(inComments ? marksIn(source.comments, inComments) : []),
  ]
  return marks.map(mark => {
    const line = source.lineAt(mark.at)
    const title = ownerOf(source, blocks, mark.at)?.title
    return {
      ...mark,
      line,
      title,
      key: `${kind} ${title ?? `${source.lineOf('text', line).trim()}\n${source.lineOf('text', line + 1).trim()}`}`,
    }
  })
}

/** The test that a mark belongs to: the one around it, or the one right behind an annotation. */
function ownerOf(source: Source, blocks: readonly TestBlock[], at: number): TestBlock | undefined {
  const around = blockAt(blocks, at)
  if (around) return around
  const next = blocks.find(block => block.start > at)
  if (!next || next.start > at + 2000) return undefined
  const lines = source.code.slice(source.lineStarts[source.lineAt(at)] ?? at, next.start).split('\n')
  return lines.every(line => /^\s*(?:[@#[\])]|\w+\s*=|$)/.test(line)) ? next : undefined
}

/** A mark in place of one that went in the same lines, at a test that the base does not know by this title. */
function isRetitled(
  view: FileView,
  mark: PlacedMark,
  known: { before: PlacedMark[]; base: Map<string, number>; titles: ReadonlySet<string> },
): boolean {
  if (mark.title !== undefined && known.titles.has(mark.title)) return false
  const hunk = view.diff.hunks.find(({ after }) => after.start <= mark.line && mark.line < after.end)
  const gone =
    hunk && known.before.find(({ line, key }) => hunk.before.start <= line && line < hunk.before.end && (known.base.get(key) ?? 0) > 0)
  return gone !== undefined && takeOne(known.base, gone.key)
}
