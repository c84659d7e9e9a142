import type { TreeEntry } from '../../sandbox/git/tree.ts'
import type { Change, RunName, RunPlan } from '../facts.ts'
import { matchesAny, type PathTest } from '../judges/matching.ts'
import type { VerifyCommand } from '../terms.ts'
import { inlineTests } from './inline-tests.ts'

export interface PlanFacts {
  command: Pick<VerifyCommand, 'kind' | 'sabotage'>
  owned: readonly string[] | null
  changes: readonly Change[]
  result: ReadonlyMap<string, TreeEntry>
  isTestSide: PathTest
  /** §4: what judges the work, and what says which dependencies it has. */
  isProtected: PathTest
  vary: boolean
}

/** §3: which runs must be made of which trees. Pure. */
export function planRuns(facts: PlanFacts): RunPlan {
  const { command, changes, isTestSide, vary } = facts
  const touches = { tests: changes.some(({ path }) => isTestSide(path)), others: changes.some(({ path }) => !isTestSide(path)) }
  const testOnly = touches.tests && !touches.others
  const skipped: RunPlan['skipped'] = []
  const required: RunName[] = ['base']
  if (command.kind === 'red-green') {
    if (changes.some(change => !isTestSide(change.path) && movesInlineTests(change)))
      skipped.push({ name: 'half', why: 'tests-inside-code' })
    else if (touches.tests && touches.others) required.push('half')
  }
  const sabotage = command.kind === 'guard' || testOnly ? sabotageOf(facts) : []
  if (sabotage.length > 0) required.push('broken')
  else if (command.kind === 'guard') skipped.push({ name: 'broken', why: 'nothing-to-empty' })
  else if (testOnly) skipped.push({ name: 'broken', why: 'test-only-without-sabotage' })
  required.push('result')
  if (vary) required.push('vary')
  return { required, sabotage, skipped }
}

function movesInlineTests({ path, before, after }: Change): boolean {
  return inlineTests(path, before?.text ?? '') !== inlineTests(path, after?.text ?? '')
}

/** F-15: what is emptied to see whether the command looks at it at all. Sorted. */
function sabotageOf({ command, owned, changes, result, isTestSide, isProtected }: PlanFacts): string[] {
  const files = [...result.values()].filter(({ mode }) => mode.startsWith('100')).map(({ path }) => path)
  if (command.sabotage !== null) return files.filter(matchesAny(command.sabotage)).sort()
  if (command.kind !== 'guard') return []
  const code = files.filter(path => !isTestSide(path) && !isProtected(path))
  if (owned !== null) return code.filter(matchesAny(owned)).sort()
  // Nobody said what belongs to the work: what it touched does, and where it touched nothing, all code.
  const touched = new Set(changes.map(({ path }) => path))
  const chosen = code.filter(path => touched.has(path))
  return (chosen.length > 0 ? chosen : code).sort()
}
