import type { Source } from '../../source/source.ts'
import { splitTests } from '../../source/test-part.ts'
import { type FindingRule, finding } from '../rule.ts'
import { type FileView, holdsTests, viewsOf } from '../view.ts'
import { lostTitles } from './deleted.ts'
import { severityWithLeave } from './leave.ts'
import { pairedTests } from './paired-tests.ts'
import { marksIn, TOKENS } from './tokens.ts'

/** Fewer assertions in a file than before. Those of tests that stand in another file now count there. */
export const testAssertionsFell: FindingRule = facts => {
  const severity = severityWithLeave(facts)
  const elsewhere = new Map<FileView, number>()
  for (const { before, after } of pairedTests(facts).pairs)
    if (before.view !== after.view) elsewhere.set(before.view, (elsewhere.get(before.view) ?? 0) + after.assertions.length)
  return viewsOf(facts).flatMap(view => {
    if (!view.old || view.change.moved_to !== undefined || !holdsTests(view)) return []
    // A file that is gone with its titles is a finding of its own; one without titles holds no tests.
    if (view.change.kind === 'deleted' && (!elsewhere.has(view) || lostTitles(facts, view) !== null)) return []
    const [was, is] = [countIn(view, view.old), countIn(view, view.now) + (elsewhere.get(view) ?? 0)]
    if (is >= was) return []
    return [finding('test.assertions-fell', { path: view.path, severity: severity(view.path), measured: `${was} before, ${is} now` })]
  })
}

function countIn(view: FileView, source: Source | null): number {
  if (!source) return 0
  return marksIn(view.isTest ? source.code : splitTests(source).tests, TOKENS[source.language].assertion).length
}
