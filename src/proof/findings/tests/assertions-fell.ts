import type { Source } from '../../source/source.ts'
import { splitTests } from '../../source/test-part.ts'
import { finding, type FindingRule } from '../rule.ts'
import { type FileView, holdsTests, takeOne, viewsOf } from '../view.ts'
import { assertionsIn } from './assertions.ts'
import { lostTitles } from './deleted.ts'
import { severityWithLeave } from './leave.ts'
import { marksIn, TOKENS } from './tokens.ts'

/** Fewer assertions in a file than before, those left out that stand in another test now. */
export const testAssertionsFell: FindingRule = facts => {
  const severity = severityWithLeave(facts)
  const views = viewsOf(facts).filter(view => view.change.moved_to === undefined && holdsTests(view))
  const elsewhere = new Map<string, number>()
  for (const view of views) for (const text of newTexts(view)) elsewhere.set(text, (elsewhere.get(text) ?? 0) + 1)
  return views.flatMap(view => {
    if (!view.old || (view.change.kind === 'deleted' && (!view.isTest || lostTitles(facts, view) !== null))) return []
    const [was, is] = [countIn(view, view.old), countIn(view, view.now)]
    if (is >= was) return []
    const moved = lostTexts(view).filter(text => takeOne(elsewhere, text)).length
    if (is + moved >= was) return []
    return [finding('test.assertions-fell', { path: view.path, severity: severity(view.path), measured: `${was} before, ${is} now` })]
  })
}

const codeOf = (view: FileView, source: Source): string => (view.isTest ? source.code : splitTests(source).tests)
const countIn = (view: FileView, source: Source | null): number =>
  source ? marksIn(codeOf(view, source), TOKENS[source.language].assertion).length : 0
const textsIn = (view: FileView, source: Source | null): string[] =>
  source ? assertionsIn(source, codeOf(view, source)).map(assertion => assertion.text) : []

const newTexts = (view: FileView): string[] => minus(textsIn(view, view.now), textsIn(view, view.old))
const lostTexts = (view: FileView): string[] => minus(textsIn(view, view.old), textsIn(view, view.now))

function minus(texts: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>()
  for (const text of others) left.set(text, (left.get(text) ?? 0) + 1)
  return texts.filter(text => !takeOne(left, text))
}
