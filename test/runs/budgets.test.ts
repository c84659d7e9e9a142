import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { systemClock } from '../../src/kernel/clock.ts'
import { createBudgets } from '../../src/runs/budget/budgets.ts'
import { projectStore } from '../../src/store/kinds.ts'
import { openStore } from '../../src/store/store.ts'

function budgets() {
  const path = join(mkdtempSync(join(tmpdir(), 'qed-budget-')), 'qed.db')
  const catalogue = { budget: { 'budget.warning': () => z.looseObject({}), 'budget.changed': () => z.looseObject({}) } }
  const store = openStore(path, projectStore, { clock: systemClock, catalogue, redact: data => data, mayCreate: true })
  return { store, budgets: createBudgets({ ...store, clock: systemClock }) }
}

describe('budgets in levels', () => {
  test('L-61: of eight that ask for a fifth each, five are granted and three are told who refused', () => {
    const { budgets: b } = budgets()
    b.open({ id: 'mission', parent: null, caps: { tokens: 100_000 } }, 'person:ada')
    for (const task of ['a', 'b']) b.open({ id: task, parent: 'mission', caps: {} }, 'person:ada')
    const runs = Array.from({ length: 8 }, (_, i) => `run${i}`)
    for (const [i, run] of runs.entries()) b.open({ id: run, parent: i % 2 ? 'a' : 'b', caps: {} }, 'person:ada')
    const outcomes = runs.map(run => b.reserve(run, { tokens: 20_000 }))
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(5)
    expect(outcomes.filter(({ ok }) => !ok)).toEqual(
      Array.from({ length: 3 }, () => ({ ok: false, node: 'mission', dimension: 'tokens', wanted: 20_000, available: 0 })),
    )
  })

  test('L-56: no cap is no limit, 0 is none at all', () => {
    const { budgets: b } = budgets()
    b.open({ id: 'p', parent: null, caps: {} }, 'person:ada')
    b.open({ id: 'r', parent: 'p', caps: { toolCalls: 0 } }, 'person:ada')
    expect(b.available('r', 'tokens')).toBe(Number.POSITIVE_INFINITY)
    expect(b.reserve('r', { tokens: 1e9 })).toMatchObject({ ok: true })
    expect(b.reserve('r', { toolCalls: 1 })).toMatchObject({ ok: false, node: 'r', dimension: 'toolCalls' })
  })

  test('L-56: what is settled stays, what is released comes back, and a second time changes nothing', () => {
    const { budgets: b } = budgets()
    b.open({ id: 'p', parent: null, caps: { tokens: 100 } }, 'person:ada')
    const first = b.reserve('p', { tokens: 60 })
    const second = b.reserve('p', { tokens: 40 })
    if (!first.ok || !second.ok) throw new Error('refused')
    b.settle(first.id, { tokens: 10 })
    b.settle(first.id, { tokens: 10 })
    b.release(second.id)
    b.release(second.id)
    expect(b.state('p')).toMatchObject({ settled: { tokens: 10 }, reserved: {}, closed: false })
    expect(b.available('p', 'tokens')).toBe(90)
  })

  test('L-58: a node that is closed names the cap that was broken, and its time is not over', () => {
    const { budgets: b } = budgets()
    b.open({ id: 'p', parent: null, caps: { costMicroUsd: 100 } }, 'person:ada')
    b.spend('p', { costMicroUsd: 120 })
    expect(b.available('p', 'wallMs')).toBe(Number.POSITIVE_INFINITY)
    expect(b.reserve('p', { tokens: 10, costMicroUsd: 5 })).toEqual({
      ok: false,
      node: 'p',
      dimension: 'costMicroUsd',
      wanted: 5,
      available: 0,
    })
  })

  test('L-58: more than was reserved is booked in full, and a broken cap closes the node', () => {
    const { budgets: b } = budgets()
    b.open({ id: 'p', parent: null, caps: { tokens: 100 } }, 'person:ada')
    const made = b.reserve('p', { tokens: 90 })
    if (!made.ok) throw new Error('refused')
    b.settle(made.id, { tokens: 120 })
    expect(b.state('p')).toMatchObject({ settled: { tokens: 120 }, closed: true })
    expect(b.reserve('p', { turns: 1 })).toMatchObject({ ok: false, available: 0 })
    // L-12: the calls of the reply that broke it still run.
    expect(b.reserve('p', { toolCalls: 1 })).toMatchObject({ ok: true })
  })

  test('L-59: caps that change are written down with their author, and one raised above what is spent opens the node again', () => {
    const { budgets: b, store } = budgets()
    b.open({ id: 'p', parent: null, caps: { tokens: 100 } }, 'person:ada')
    const made = b.reserve('p', { tokens: 90 })
    if (!made.ok) throw new Error('refused')
    b.settle(made.id, { tokens: 120 })
    b.open({ id: 'p', parent: null, caps: { tokens: 100 } }, 'person:ada')
    expect(b.state('p').closed).toBe(true)
    b.open({ id: 'p', parent: null, caps: { tokens: 500 } }, 'person:ada')
    expect(b.available('p', 'tokens')).toBe(380)
    const changes = store.log.list({ streams: ['budget'], types: ['budget.changed'] }, 10).map(event => event.data)
    expect(changes).toEqual([{ node: 'p', before: { tokens: 100 }, caps: { tokens: 500 }, by: 'person:ada' }])
  })

  test('L-57: whoever reserves may look at what every level leaves before it says how much', () => {
    const { budgets: b } = budgets()
    b.open({ id: 'p', parent: null, caps: { tokens: 100 } }, 'person:ada')
    b.open({ id: 'r', parent: 'p', caps: { tokens: 1000 } }, 'person:ada')
    expect(b.reserve('r', left => ({ tokens: left('tokens') }))).toMatchObject({ ok: true })
    expect(b.state('p').reserved).toEqual({ tokens: 100 })
  })

  test('L-57: a tool call is taken at once on every level, and given back where it did not happen', () => {
    const { budgets: b } = budgets()
    b.open({ id: 'p', parent: null, caps: { toolCalls: 2 } }, 'person:ada')
    b.open({ id: 'r', parent: 'p', caps: {} }, 'person:ada')
    expect([b.take('r', { toolCalls: 1 }), b.take('r', { toolCalls: 1 })]).toEqual([{ ok: true }, { ok: true }])
    expect(b.take('r', { toolCalls: 1 })).toEqual({ ok: false, node: 'p', dimension: 'toolCalls', wanted: 1, available: 0 })
    b.spend('r', { toolCalls: -1 })
    expect([b.state('p').settled, b.state('r').settled]).toEqual([{ toolCalls: 1 }, { toolCalls: 1 }])
  })

  test('L-60: at four fifths of a cap a warning is written, once', () => {
    const { budgets: b, store } = budgets()
    b.open({ id: 'p', parent: null, caps: { tokens: 100 } }, 'person:ada')
    for (const tokens of [79, 1, 10]) {
      const made = b.reserve('p', { tokens })
      if (made.ok) b.settle(made.id, { tokens })
    }
    const warnings = store.log.list({ streams: ['budget'] }, 10).map(event => event.data)
    expect(warnings).toEqual([{ node: 'p', dimension: 'tokens', used: 80, cap: 100 }])
  })

  test('L-41: what a dead process had reserved is settled in full', () => {
    const { budgets: b } = budgets()
    b.open({ id: 'p', parent: null, caps: { tokens: 100 } }, 'person:ada')
    b.open({ id: 'r', parent: 'p', caps: {} }, 'person:ada')
    b.reserve('r', { tokens: 30 })
    expect(b.settleOpen('r')).toBe(1)
    expect(b.state('p')).toMatchObject({ settled: { tokens: 30 }, reserved: {} })
  })

  test('two connections never grant more than the cap', () => {
    const { budgets: one, store } = budgets()
    one.open({ id: 'p', parent: null, caps: { tokens: 10 } }, 'person:ada')
    const other = openStore(store.path, projectStore, { clock: systemClock, catalogue: {}, redact: data => data, mayCreate: false })
    const two = createBudgets({ ...other, clock: systemClock })
    const granted = Array.from({ length: 12 }, (_, i) => (i % 2 ? one : two).reserve('p', { tokens: 1 })).filter(({ ok }) => ok)
    expect(granted).toHaveLength(10)
    other.close()
  })
})
