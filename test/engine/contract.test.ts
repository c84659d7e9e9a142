import { describe, expect, test } from 'vitest'
import { budgetOf } from '../../src/engine/work/spending.ts'
import type { BudgetSettings } from '../../src/engine/work/types.ts'
import {
  defaultEngineBudgets,
  EngineBudget,
  EngineLoopMessage,
  EngineLoopOutcome,
  EngineLoopResponse,
  runEngineLoop,
  ToolRefused,
} from '../../src/sdk/engine.ts'

// What whoever uses the bare loop can rely on.

type Input = Parameters<typeof runEngineLoop>[0]
const said = (content: string): EngineLoopResponse => ({
  stop: 'text',
  content,
  tokensUsed: 1,
  assistantMessage: { role: 'assistant', content },
})
const calls = (content: string, ...names: string[]): EngineLoopResponse => ({
  stop: 'tool_use',
  tokensUsed: 1,
  assistantMessage: { role: 'assistant', content, toolCalls: names.map((name, i) => ({ id: `${content}${i}`, name, arguments: '{}' })) },
})

function play(script: EngineLoopResponse[], over: Partial<Input> = {}): Promise<EngineLoopOutcome> {
  const replies = [...script]
  return runEngineLoop({
    client: { send: () => Promise.resolve(replies.shift() ?? said('')) },
    executor: ({ name }) => (name === 'fails' ? Promise.reject(new Error('no')) : Promise.resolve('done')),
    systemPrompt: 'S',
    userPrompt: 'U',
    tools: ['read', 'fails', 'refuses'].map(name => ({ name, description: '' })),
    budget: { maxToolCalls: 3, maxTokens: 100 },
    personaSlug: 'default',
    ...over,
  })
}

test('L-1: what is unknown is stripped from every shape, and a budget is whole and not negative', () => {
  expect(EngineLoopMessage.parse({ role: 'user', content: 'x', colour: 'red' })).toEqual({ role: 'user', content: 'x' })
  expect(EngineLoopResponse.parse({ ...said('x'), trace: 1 })).toEqual(said('x'))
  expect(EngineBudget.parse({ maxToolCalls: 0, maxTokens: 1, more: 2 })).toEqual({ maxToolCalls: 0, maxTokens: 1 })
  expect([-1, 0.5, '3'].map(maxTokens => EngineBudget.safeParse({ maxToolCalls: 1, maxTokens }).success)).toEqual([false, false, false])
})

describe('L-4: every way out is an outcome, with a reason if and only if it is not completed', () => {
  const broken = (): never => {
    throw new Error('broken')
  }
  const strategy = { start: () => undefined, messages: () => [], append: () => undefined, overflow: () => Promise.resolve(false) }
  test.each<[string, EngineLoopResponse[], Partial<Input>]>([
    ['an answer', [said('a')], {}],
    ['a client that throws', [], { client: { send: broken } }],
    ['an executor that throws', [calls('a', 'read'), said('b')], { executor: broken }],
    ['a strategy that cannot start', [said('a')], { context: { ...strategy, start: broken } }],
    ['a strategy without messages', [said('a')], { context: { ...strategy, messages: broken } }],
    ['a strategy that cannot be added to', [said('a')], { context: { ...strategy, append: broken } }],
    [
      'a resumed strategy that is broken',
      [said('a')],
      { context: { ...strategy, messages: broken }, resume: { turnsUsed: 1, tokensUsed: 1, toolCallCount: 0, facts: [] } },
    ],
    ['a judge that throws', [said('a')], { judge: broken }],
    ['no room', [said('a')], { budget: { maxToolCalls: 0, maxTokens: 0 } }],
    ['a refusal', [calls('a', 'write')], {}],
  ])('%s', async (_name, script, over) => {
    const outcome = await play(script, over)
    expect(EngineLoopOutcome.parse(outcome)).toEqual(outcome)
    expect(outcome.status === 'completed').toBe(outcome.reason === undefined)
    expect(outcome.reason ?? 'code: sentence').toMatch(/^[a-z_]+: \S/)
  })
})

test('L-18: an end without an answer has the last words of the model, a failure none', async () => {
  const refuses = (): never => {
    throw new ToolRefused('not here')
  }
  expect(await play([calls('first', 'read'), calls('', 'write')])).toMatchObject({ status: 'tool_refused', finalText: 'first' })
  expect(await play([calls('first', 'refuses')], { executor: refuses })).toMatchObject({ status: 'tool_refused', finalText: 'first' })
  expect(await play([calls('a', 'read', 'read', 'read', 'read')])).toMatchObject({ status: 'budget_exhausted', finalText: 'a' })
  const error: EngineLoopResponse = { stop: 'error', code: 'failed', message: 'gone' }
  expect(await play([calls('first', 'read'), error])).toMatchObject({ status: 'failed', finalText: '' })
})

test('L-20: calls that failed count, those that never ran do not, and every send is a turn', async () => {
  const error: EngineLoopResponse = { stop: 'error', code: 'rate_limited', message: 'later' }
  expect(await play([calls('a', 'fails', 'nope', 'read'), error])).toMatchObject({ toolCallCount: 2, turnsUsed: 2, tokensUsed: 1 })
})

test('L-23: what each kind may spend', () => {
  expect(defaultEngineBudgets).toEqual({
    code: { maxToolCalls: 20, maxTokens: 50_000 },
    explain: { maxToolCalls: 5, maxTokens: 20_000 },
    fix: { maxToolCalls: 20, maxTokens: 50_000 },
    plan: { maxToolCalls: 8, maxTokens: 30_000 },
    build: { maxToolCalls: 30, maxTokens: 80_000 },
  })
})

test('L-26: a flag replaces what the kind has, and what is set for every run stands over both', () => {
  const none: BudgetSettings = {
    tokens: null,
    cost_usd: null,
    tool_calls: null,
    wall_s: null,
    project: { tokens: null, cost_usd: null, tool_calls: null },
  }
  const budget = { maxTokens: 90_000, maxCostUsd: 5 }
  expect(budgetOf({ kind: 'fix', budget: {} }, none)).toMatchObject({ maxToolCalls: 20, maxTokens: 50_000 })
  expect(budgetOf({ kind: 'fix', budget }, none)).toMatchObject({ maxToolCalls: 20, maxTokens: 90_000, maxCostUsd: 5 })
  const set = { ...none, tokens: 60_000, tool_calls: 10, cost_usd: 2, wall_s: 3 }
  expect(budgetOf({ kind: 'fix', budget }, set)).toMatchObject({ maxToolCalls: 10, maxTokens: 60_000, maxCostUsd: 2, maxWallMs: 3_000 })
})
