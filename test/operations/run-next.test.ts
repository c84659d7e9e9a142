import { describe, expect, test } from 'vitest'
import { shortWords } from '../../src/engine/work/limit-words.ts'
import { type Ended, nextLines } from '../../src/operations/run-next.ts'
import type { Refusal } from '../../src/runs/budget/amounts.ts'

type Given = Partial<Omit<Ended, 'run'>> & { run: Partial<Ended['run']> }

const ended = ({ run, ...rest }: Given): string[] =>
  nextLines({
    unanswered: null,
    changed: [],
    resumable: false,
    proof: null,
    place: null,
    saved: null,
    ...rest,
    run: { id: 'run_1', alias: 'abcd', status: 'failed', outcome: 'error', outcome_reason: null, ...run },
  })

const short = (node: string, dimension: Refusal['dimension']): string =>
  `budget: ${shortWords({ node, dimension, wanted: 2_000_000, available: 1 })}`

describe('what to do after a run that its budget ended', () => {
  test.each([
    ['tool_calls: No tool call is left.', 'qed run resume abcd --max-tool-calls <n>'],
    ['tokens: 50 of 50 tokens are used.', 'qed run resume abcd --max-tokens <n>'],
    ['max_turns: Every turn that the loop may have is used.', 'qed run resume abcd --max-turns <n>'],
    ['wall_ms: the time of the run is over.', 'qed run resume abcd --max-seconds <n>'],
    [short('run_1', 'turns'), 'qed run resume abcd --max-turns <n>'],
    [short('run_1', 'costMicroUsd'), 'qed run resume abcd --max-cost <n>'],
    [short('project:p', 'costMicroUsd'), 'qed config set budget.project.cost_usd <n> --scope personal, then qed run resume abcd'],
  ])('%s', (outcome_reason, command) => {
    expect(ended({ run: { outcome: 'budget', outcome_reason } })[0]).toBe(`to give it more: ${command}`)
  })

  test('the sentence says in words what was short', () => {
    expect(short('project:p', 'costMicroUsd')).toBe(
      'budget: $2.0000 would be needed, and the project has $0.0000 left (budget.project.cost_usd).',
    )
  })
})

test.each([
  ['auth_missing', 'to let it go on, once the key is right (qed models test tells): qed run resume abcd'],
  ['endpoint_missing', 'to let it go on with another model of qed models list: qed run resume abcd --model <name>'],
  ['rate_limited', 'to let it go on, once the model provider takes requests again: qed run resume abcd'],
  ['failed', 'to let it go on: qed run resume abcd'],
])('a run that %s broke off says what comes first', (code, line) => {
  expect(ended({ resumable: true, run: { outcome_reason: `${code}: no` } })[0]).toBe(line)
})

test('what nobody answered is gone on with by the flags that allow it', () => {
  const unanswered = { flags: "--scope 'src/a.js'" }
  expect(ended({ unanswered, run: { outcome: 'refused' } })[1]).toBe(`to go on with it: qed run resume abcd "go on" --scope 'src/a.js'`)
})

test('I-3 what is in a place is proven there, not in the checkout', () => {
  const lines = ended({ place: '/p', changed: ['a'], run: { status: 'completed', outcome: 'unproven' } })
  expect(lines.join('\n')).toContain('--verify')
  expect(lines.join('\n')).not.toContain('qed prove')
})
