import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { reserveAt } from '../../src/engine/work/reserve.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { createBudgets } from '../../src/runs/budget/budgets.ts'
import { projectStore } from '../../src/store/kinds.ts'
import { openStore } from '../../src/store/store.ts'

test.each([
  ['as long as the model writes', { context: 200_000, reply: 8_000 }, 1_000, 8_000],
  ['no longer than what the request leaves of what it sees', { context: 16_384, reply: undefined }, 10_000, 6_384],
  ['the least there is, where the request was counted as more than it sees', { context: 4_096, reply: 4_096 }, 5_000, 256],
])('a reply may be %s', (_, spec, prompt, reply) => {
  const path = join(mkdtempSync(join(tmpdir(), 'qed-reserve-')), 'qed.db')
  const catalogue = { budget: { 'budget.warning': () => z.looseObject({}), 'budget.changed': () => z.looseObject({}) } }
  const store = openStore(path, projectStore, { clock: systemClock, catalogue, redact: data => data, mayCreate: true })
  const budgets = createBudgets({ ...store, clock: systemClock })
  budgets.open({ id: 'run', parent: null, caps: {} }, 'person:ada')
  const reserve = reserveAt(budgets, 'run', { ...spec, prices: undefined })
  expect(reserve({ prompt, reply: 50_000 })).toMatchObject({ reply })
})
