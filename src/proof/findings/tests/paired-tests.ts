import type { ProofFacts } from '../../facts.ts'
import type { Hunk } from '../../source/line-diff.ts'
import type { Source } from '../../source/source.ts'
import { blockAt, type TestBlock, testBlocks } from '../../source/test-blocks.ts'
import { splitTests } from '../../source/test-part.ts'
import { type FileView, holdsTests, viewsOf } from '../view.ts'
import { type Assertion, assertionsIn } from './assertions.ts'

/** One test on one side, with the assertions that stand in it and in no test inside it. */
export interface TestSide {
  view: FileView
  source: Source
  /** None: what stands outside all tests of the file. */
  block: TestBlock | null
  assertions: Assertion[]
}

export interface TestPair {
  before: TestSide
  after: TestSide
  /** The title is another one; the place in the file says that it is the same test. */
  retitled: boolean
}

const known = new WeakMap<ProofFacts, { pairs: TestPair[]; added: TestSide[] }>()

/** The tests that both sides have, wherever they stand now, and those that only the result has. */
export function pairedTests(facts: ProofFacts): { pairs: TestPair[]; added: TestSide[] } {
  const found = known.get(facts) ?? pair(viewsOf(facts).filter(view => view.change.moved_to === undefined && holdsTests(view)))
  known.set(facts, found)
  return found
}

function pair(views: FileView[]): { pairs: TestPair[]; added: TestSide[] } {
  const unmatched = new Set(views.flatMap(view => sidesOf(view, view.old)))
  const after = views.flatMap(view => sidesOf(view, view.now))
  const pairs: TestPair[] = []
  /** Pairs what has the same key on both sides, in order; gives what is left of the result. */
  const match = (sides: TestSide[], keys: { before: Key; after: Key }, retitled: boolean): TestSide[] => {
    const waiting = Map.groupBy([...unmatched], keys.before)
    const taken = new Map<string, number>()
    return sides.filter(side => {
      const key = keys.after(side)
      const next = taken.get(key) ?? 0
      const old = key === '' ? undefined : waiting.get(key)?.[next]
      if (!old) return true
      taken.set(key, next + 1)
      unmatched.delete(old)
      pairs.push({ before: old, after: side, retitled })
      return false
    })
  }
  const inFile: Key = ({ view, block }) => `${view.path}\n${block?.title ?? ''}`
  const anywhere: Key = ({ block }) => (block ? ` ${block.title}` : '')
  const moved = match(after, { before: inFile, after: inFile }, false)
  const added = match(moved, { before: anywhere, after: anywhere }, false)
  match(added, { before: placeBefore, after: placeAfter }, true)
  return { pairs, added: added.filter(side => side.block !== null) }
}

type Key = (side: TestSide) => string

const placeBefore: Key = side => place(side, hunk => hunk.before)
const placeAfter: Key = side => place(side, hunk => hunk.after)

/** The hunk in which a test begins. */
function place({ view, block }: TestSide, side: (hunk: Hunk) => Hunk['before']): string {
  const line = block?.line ?? -1
  const at = view.diff.hunks.findIndex(hunk => side(hunk).start <= line && line < side(hunk).end)
  return at < 0 ? '' : `${view.path}\n${at}`
}

function sidesOf(view: FileView, source: Source | null): TestSide[] {
  if (!source) return []
  const blocks = testBlocks(source)
  const byBlock = new Map<TestBlock | null, Assertion[]>([[null, []], ...blocks.map(block => [block, []] as [TestBlock, Assertion[]])])
  for (const assertion of assertionsIn(source, view.isTest ? source.code : splitTests(source).tests))
    byBlock.get(blockAt(blocks, assertion.start) ?? null)?.push(assertion)
  return [...byBlock].map(([block, assertions]) => ({ view, source, block, assertions }))
}
