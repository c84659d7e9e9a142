import { expect, test } from 'vitest'
import { done, working } from '../../support/working.ts'

test('L-29: a kind of work has the model that is set for it, unless the order names one; the others have that of the settings', async () => {
  const turns = Array.from({ length: 3 }, () => ({ calls: [done] }))
  const { work } = working({
    scripts: { usual: { turns }, planner: { turns }, named: { turns } },
    settings: { model: 'usual', engine: { models: { plan: 'planner' } } },
  })
  const modelOf = async (terms: object) => (await work({ prompt: 'Look.', scope: [], ...terms })).model
  expect(await modelOf({ kind: 'plan' })).toBe('planner')
  expect(await modelOf({ kind: 'plan', model: 'named' })).toBe('named')
  expect(await modelOf({ kind: 'explain' })).toBe('usual')
})
