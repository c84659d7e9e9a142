import type { FindingRule } from '../rule.ts'
import { testAssertionsFell } from './assertions-fell.ts'
import { testDeleted } from './deleted.ts'
import { testOnly, testSkipped } from './marks.ts'
import { testSnapshotUpdated } from './snapshot.ts'
import { testTrivial } from './trivial.ts'
import { testWeakened } from './weakened.ts'

export const TEST_RULES: readonly FindingRule[] = [
  testDeleted,
  testSkipped,
  testOnly,
  testAssertionsFell,
  testWeakened,
  testTrivial,
  testSnapshotUpdated,
]
