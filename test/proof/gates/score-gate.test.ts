import { expect, test } from 'vitest'
import type { GateFact, KeptOutput } from '../../../src/proof/facts.ts'
import { runGates } from '../../../src/proof/gates/run-gates.ts'
import { type GateRun, scoreGate } from '../../../src/proof/gates/score-gate.ts'
import type { GateDefinition } from '../../../src/proof/terms.ts'

const kept = (text: string): KeptOutput => ({ text, bytes: text.length, sha256: 'x', cut: false, secret: false })
const run = (text: string, more: Partial<GateRun> = {}): GateRun => ({ exit: 0, reason: 'exited', stdout: kept(text), ...more })

test.each<[string, Partial<GateRun>, 'scored' | 'failed', number]>([
  ['exit 0 is 100', { exit: 0 }, 'scored', 100],
  ['any other exit is 0', { exit: 3 }, 'scored', 0],
  ['a command that is not there failed', { exit: 127 }, 'failed', 0],
  ['one that may not be run failed', { exit: 126 }, 'failed', 0],
  ['a time-out failed', { exit: null, reason: 'timeout' }, 'failed', 0],
  ['a signal failed', { exit: null, reason: 'signalled' }, 'failed', 0],
  ['too much output failed', { exit: 0, reason: 'output-limit' }, 'failed', 0],
])('F-22 exit: %s', (_name, more, outcome, score) => {
  expect(scoreGate({ score: 'exit' }, run('', more))).toMatchObject({ outcome, score, critical: [] })
})

test('F-22 json: the last line is the score, with what was found', () => {
  const text = 'looking\n{"score": 1}\n{"score": 92.5, "findings": [{"text": "a"}, {"text": "b", "critical": true}], "more": 1}\n\n'
  expect(scoreGate({ score: 'json' }, run(text))).toEqual({ outcome: 'scored', score: 92.5, critical: ['b'], findings: ['a'] })
})

test.each([
  '',
  'fine',
  '{"score": 90}\ndone',
  '{"score": "90"}',
  '{"score": 101}',
  '{"score": -1}',
  '{"score": null}',
  '{"score": NaN}',
  '{"score": 1e999}',
  '[90]',
  '{"findings": []}',
  '{"score": 90, "findings": [{"critical": true}]}',
  '{"score": 90, "findings": "none"}',
])('F-22 json: %j is no score, so the gate failed', text => {
  expect(scoreGate({ score: 'json' }, run(text))).toMatchObject({ outcome: 'failed', score: 0 })
})

test('F-22 json: a score of a program that failed is none', () => {
  expect(scoreGate({ score: 'json' }, run('{"score": 100}', { exit: 1 }))).toMatchObject({ outcome: 'failed', score: 0 })
  expect(scoreGate({ score: 'json' }, run('{"score": 100}', { exit: null, reason: 'timeout' }))).toMatchObject({ outcome: 'failed' })
})

const gate = (name: string, more: Partial<GateDefinition> = {}): GateDefinition => ({
  name,
  score: 'exit',
  threshold: 100,
  timeout_s: 600,
  network: false,
  ...more,
})

async function measured(
  required: string[],
  definitions: { base: GateDefinition[]; result?: GateDefinition[] | null },
): Promise<{ facts: GateFact[]; ran: string[] }> {
  const ran: string[] = []
  const facts = await runGates({
    required,
    base: definitions.base,
    result: definitions.result === undefined ? definitions.base : definitions.result,
    runGate: async ({ command }) => {
      ran.push(command)
      return run('said')
    },
    audit: name => ({ score: name === 'secaudit' ? 40 : 90, critical: [], findings: ['x'] }),
  })
  return { facts, ran }
}

test('F-22 a required gate is run by its definition in the base, whatever the result says', async () => {
  const base = [gate('lint', { command: 'npm run lint' })]
  const { facts, ran } = await measured(['lint', 'lint'], { base, result: [gate('lint', { command: 'true' })] })
  expect(ran).toEqual(['npm run lint'])
  expect(facts).toEqual([
    { definition: base[0], changed: true, outcome: 'scored', score: 100, critical: [], findings: [], output: kept('said') },
  ])
})

test('F-22 a gate that only the result defines, or nobody, is missing and not run', async () => {
  const { facts, ran } = await measured(['new', 'none'], { base: [], result: [gate('new', { command: 'true' })] })
  expect(ran).toEqual([])
  expect(facts.map(({ definition, outcome, changed }) => [definition.name, outcome, changed])).toEqual([
    ['new', 'missing', true],
    ['none', 'missing', false],
  ])
})

test('F-22 settings of the result that cannot be read count as changed', async () => {
  const { facts } = await measured(['lint'], { base: [gate('lint', { command: 'x' })], result: null })
  expect(facts[0]).toMatchObject({ changed: true, outcome: 'scored' })
})

test('F-22 built-in gates are measured without a command', async () => {
  const base = [gate('codeaudit', { score: 'json', threshold: 80 }), gate('secaudit', { score: 'json', threshold: 85 })]
  const { facts, ran } = await measured(['codeaudit', 'secaudit'], { base })
  expect(ran).toEqual([])
  expect(facts.map(({ definition, outcome, score, output }) => [definition.name, outcome, score, output])).toEqual([
    ['codeaudit', 'scored', 90, null],
    ['secaudit', 'scored', 40, null],
  ])
})
