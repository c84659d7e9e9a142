import { expect, test } from 'vitest'
import { OUTCOMES } from '../../src/runs/lifecycle.ts'
import { meantState, STATE_WORDS, stateWord } from '../../src/runs/state-words.ts'

test.each([
  [100, 'queued'],
  [102, 'running'],
  [202, 'proposed'],
  [200, 'completed'],
  [500, 'failed'],
  ['499', 'aborted'],
  ['created', 'queued'],
  ['planned', 'queued'],
  ['needs-human', 'proposed'],
  ['blocked', 'blocked'],
])('R-2, R-3: %s is understood as %s', (said, word) => expect(stateWord(said)).toBe(word))

// 403 is a proposal that was rejected, which is no state of a run.
test.each([403, 0, '', 'Queued', 'toString', '__proto__', null, [100]])('%s stays what it is, to be refused', said => {
  expect(stateWord(said)).toEqual(said)
  expect(STATE_WORDS).not.toContain(stateWord(said))
})

test('R-3: blocked and cancelled say how the run ended, in a way that its state allows', () => {
  expect([meantState('blocked'), meantState('cancelled'), meantState('failed')]).toEqual([
    { status: 'failed', outcome: 'blocked' },
    { status: 'aborted', outcome: 'cancelled' },
    { status: 'failed' },
  ])
  expect([OUTCOMES.failed, OUTCOMES.aborted]).toEqual([expect.arrayContaining(['blocked']), expect.arrayContaining(['cancelled'])])
})
