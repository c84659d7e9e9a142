import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTurnJudge, judgeTurn, type TurnCall, type TurnFacts } from '../../../src/text/dialects/judge-turn.ts'

const call: fc.Arbitrary<TurnCall> = fc.record({
  name: fc.constantFrom('read', 'edit'),
  arguments: fc.record({ path: fc.constantFrom('a', 'b', 'c') }),
  effect: fc.constantFrom('read', 'write'),
  ok: fc.boolean(),
})
const turn: fc.Arbitrary<TurnFacts> = fc.record({
  text: fc.constantFrom('', 'hm'),
  calls: fc.array(call, { maxLength: 2 }),
  signals: fc.array(fc.record({ status: fc.constantFrom(102, 200), text: fc.constantFrom('x', 'y') }), { maxLength: 1 }),
})

test('D-44: a loop judged turn by turn gets the verdicts of one judged as a whole each time, also after going on from a crash', () => {
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 30 }), fc.nat({ max: 10 }), (turns, resumedAt) => {
      const judge = createTurnJudge({ turns: 25 })
      for (let n = Math.min(resumedAt, turns.length); n <= turns.length; n++) {
        expect(judge(turns.slice(0, n))).toEqual(judgeTurn(turns.slice(0, n), { turns: 25 }))
      }
    }),
  )
})

test('a judge that is handed another loop starts anew', () => {
  const same = (): TurnFacts => ({ text: '', calls: [{ name: 'read', arguments: {}, effect: 'read', ok: true }], signals: [] })
  const judge = createTurnJudge()
  const first = [same(), same(), same()]
  for (const n of [1, 2, 3]) judge(first.slice(0, n))
  expect(judge([same()])).toEqual(judgeTurn([same()]))
})

test('a turn that is judged a second time costs nothing: what it read was looked at once', () => {
  let looked = 0
  const turns = Array.from({ length: 400 }, (_, n): TurnFacts => {
    const facts: TurnCall = { name: 'read', arguments: {}, effect: 'read', ok: true }
    Object.defineProperty(facts.arguments, 'path', {
      enumerable: true,
      get: () => {
        looked++
        return `p${n}`
      },
    })
    return { text: '', calls: [facts], signals: [{ status: 102, text: `${n}` }] }
  })
  const judge = createTurnJudge({ turns: 1_000 })
  const costs = turns.map((_, n) => {
    const before = looked
    judge(turns.slice(0, n + 1))
    return looked - before
  })
  expect(costs.at(-1)).toBe(costs[50])
})
