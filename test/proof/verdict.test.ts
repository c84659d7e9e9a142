import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Finding, SEVERITIES } from '../../src/kernel/finding.ts'
import type { FindingAcceptance, RunFact } from '../../src/proof/facts.ts'
import { judge } from '../../src/proof/judge.ts'
import { CAUSES } from '../../src/proof/proof.ts'
import { verdict, withAcceptances } from '../../src/proof/verdict.ts'
import { brief, facts, gate, run } from '../support/proof-facts.ts'

const PROVEN = { verdict: 'proven', causes: [] }
const not = (...causes: string[]) => ({ verdict: 'not_proven', causes })
const short = (own: Parameters<typeof facts>[0]) => {
  const { verdict, causes } = judge(facts(own))
  return { verdict, causes }
}
const red = run('base', { exit: 1 })
const review: Finding = { id: 'blob.binary', severity: 'review', path: 'a.png', hint: 'look' }
const accept = (own: Partial<FindingAcceptance> = {}): FindingAcceptance => ({
  finding: 'blob.binary',
  by: 'ada',
  role: 'person',
  at: '2026',
  reason: 'our logo',
  ...own,
})

describe('F-26 causes', () => {
  test.each<[string, Parameters<typeof facts>[0], object]>([
    [
      '§13 row 1 code and its new test',
      { plan: { required: ['base', 'half', 'result'] }, runs: [red, run('half'), run('result')] },
      PROVEN,
    ],
    [
      '§13 row 2 refactoring under guard',
      { command: { kind: 'guard' }, plan: { required: ['base', 'broken', 'result'] }, runs: [run('base'), run('broken'), run('result')] },
      PROVEN,
    ],
    ['§13 row 11 a wrong claim', { claim: { exit: 3 } }, PROVEN],
    ['standalone', { standalone: true, author: null }, PROVEN],
    ['a gate that passed', { required: ['g'], gates: [gate('g')] }, PROVEN],
    ['broken off', { runs: [red, run('result', { exit: null, reason: 'aborted' })] }, not('interrupted')],
    ['nothing prepared', { runs: [], prepare: { ...facts().prepare, outcome: 'failed' } }, not('environment')],
    ['the base could not be run', { runs: [run('base', { exit: 127 })] }, not('environment')],
    ['red', { runs: [red, run('result', { exit: 1 })] }, not('verify')],
    ['a repeat is missing', { command: { repeat: 2 } }, not('verify')],
    ['a required run is missing', { plan: { required: ['base', 'half', 'result'] } }, not('verify')],
    ['no run at all', { runs: [] }, not('verify')],
    ['a trivial command', { command: { text: 'true' } }, not('verify')],
    ['an error', { scope: { owned: ['lib/**'] } }, not('findings')],
    ['another tree', { tree_at_end: 't2' }, not('findings')],
    ['another brief', { brief_digest: 'e' }, not('findings')],
    ['a review', { files: { 'a.png': [null, { binary: true }] } }, not('review')],
    ['a gate', { required: ['g'] }, not('gates')],
    [
      'all at once, in order',
      {
        files: { 'a.png': [null, { binary: true }] },
        scope: { owned: ['lib/**'] },
        required: ['g'],
        runs: [run('base', { exit: 127 }), run('half', { exit: null, reason: 'aborted' }), run('result', { exit: 1 })],
      },
      not(...CAUSES),
    ],
  ])('%s', (_, own, expected) => expect(short(own)).toEqual(expected))

  test('a verdict does not rest on its findings alone', () => {
    expect(verdict(facts({ tree_at_end: 't2', required: ['g'], runs: [red, run('result', { exit: 1 })] }), [])).toEqual(
      not('verify', 'findings', 'gates'),
    )
  })
})

describe('acceptance of review findings', () => {
  const accepted = (acceptance: FindingAcceptance, finding: Finding = review, author: string | null = 'run-1'): boolean =>
    withAcceptances([finding], { acceptances: [acceptance], author })[0]?.accepted !== undefined

  test.each<[string, FindingAcceptance, boolean]>([
    ['a person', accept(), true],
    ['a person, for this path', accept({ path: 'a.png' }), true],
    ['a person, for another path', accept({ path: 'b.png' }), false],
    ['a person, for another finding', accept({ finding: 'blob.large' }), false],
    ['a person without a reason', accept({ reason: ' ' }), false],
    ['the author', accept({ by: 'run-1' }), false],
    ['a sure checker', accept({ role: 'checker', confidence: 0.7 }), true],
    ['an unsure checker', accept({ role: 'checker', confidence: 0.69 }), false],
    ['a checker that says too much', accept({ role: 'checker', confidence: 1.01 }), false],
    ['a checker that says nothing', accept({ role: 'checker' }), false],
    ['the author as checker', accept({ by: 'run-1', role: 'checker', confidence: 1 }), false],
  ])('by %s', (_, acceptance, isAccepted) => expect(accepted(acceptance)).toBe(isAccepted))

  test('what was accepted is written on the finding, and the proof holds', () => {
    const { findings, verdict: said } = judge(
      facts({ files: { 'a.png': [null, { binary: true }] }, acceptances: [accept({ role: 'checker', confidence: 0.9 })] }),
    )
    expect([findings[0]?.accepted, said]).toEqual([{ by: 'ada', role: 'checker', at: '2026', reason: 'our logo' }, 'proven'])
  })

  test('F-28 nobody accepts an error', () => {
    expect(accepted(accept(), { ...review, severity: 'error' })).toBe(false)
  })
})

describe('F-26 never', () => {
  const someFinding = fc.record({
    id: fc.constantFrom('scope.link', 'verify.red', 'gate.failed', 'blob.binary', 'review.self'),
    severity: fc.constantFrom(...SEVERITIES),
    hint: fc.constant('x'),
  })
  const someAcceptance = fc.record({
    finding: fc.constantFrom('scope.link', 'verify.red', 'gate.failed', 'blob.binary', 'review.self'),
    by: fc.constantFrom('ada', 'run-1'),
    role: fc.constantFrom('person' as const, 'checker' as const),
    at: fc.constant(''),
    reason: fc.constantFrom('fine', ''),
    confidence: fc.constantFrom(0.2, 0.9),
  })
  const someRun = fc.record({
    name: fc.constantFrom<RunFact['name']>('base', 'half', 'broken', 'result', 'vary'),
    exit: fc.constantFrom(0, 1, 127, null),
    reason: fc.constantFrom<RunFact['reason']>('exited', 'signalled', 'timeout', 'silent', 'output-limit', 'aborted', 'not-started'),
  })

  const noErrorIsProven = (judging: typeof judge) =>
    fc.property(fc.array(someFinding), fc.array(someAcceptance), (found, acceptances) => {
      const { verdict: said, findings } = judging(facts({ acceptances }), [() => found])
      const isFree = findings.every(one => one.severity === 'info' || (one.severity === 'review' && one.accepted?.by === 'ada'))
      expect(said).toBe(isFree ? 'proven' : 'not_proven')
    })

  test('proven with an error, whoever accepts it', () => {
    fc.assert(noErrorIsProven(judge))
    const lets: typeof judge = (own, rules) => ({
      ...judge(own, rules),
      ...(own.acceptances.length > 0 && { verdict: 'proven', causes: [] }),
    })
    expect(() => fc.assert(noErrorIsProven(lets))).toThrow('Property failed')
  })

  test('proven without a red base and a green result, whatever ran', () => {
    fc.assert(
      fc.property(fc.array(someRun, { maxLength: 6 }), rows => {
        const runs = rows.map(({ name, exit, reason }) => run(name, { exit: reason === 'exited' ? exit : null, reason }))
        const { verdict: said } = judge(facts({ runs }))
        const results = runs.filter(one => one.name === 'result')
        const isMeasured =
          runs.some(one => one.name === 'base' && one.exit === 1) && results.length > 0 && results.every(one => one.exit === 0)
        expect(said === 'proven' && !isMeasured).toBe(false)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('the order of findings', () => {
  test('by severity, path, line and id, each once', () => {
    const row = (severity: Finding['severity'], id: string, path?: string, line?: number): Finding => ({
      id,
      severity,
      hint: 'x',
      ...(path !== undefined && { path }),
      ...(line !== undefined && { line }),
    })
    const sorted = [
      row('error', 'z.none'),
      row('error', 'b', 'a', 2),
      row('error', 'a', 'a', 10),
      row('error', 'b', 'a', 10),
      row('error', 'a', 'b'),
      row('review', 'a', 'a'),
      row('info', 'a'),
    ]
    fc.assert(
      fc.property(fc.shuffledSubarray([...sorted, ...sorted], { minLength: sorted.length * 2 }), shuffled => {
        expect(brief(judge(facts(), [() => shuffled]).findings)).toEqual(brief(sorted))
      }),
    )
  })

  test('the same facts give the same judgement', () => {
    const one = facts({ scope: { owned: [] }, required: ['g'], surroundings: { sacred: ['.env'] } })
    expect(judge(one)).toEqual(judge(one))
  })
})

test('no text of any file makes a rule throw', () => {
  const path = fc.constantFrom(
    'package.json',
    'package-lock.json',
    'pnpm-lock.yaml',
    'yarn.lock',
    'bun.lock',
    'Cargo.toml',
    'Cargo.lock',
    'poetry.lock',
    'uv.lock',
    'pyproject.toml',
    'requirements.txt',
    'go.mod',
    'go.sum',
    'Makefile',
    'src/a.js',
  )
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"',
    ':',
    ',',
    '\n',
    '  ',
    'packages',
    'a@1',
    'version',
    '=',
    '@',
    '--hash=',
    '=>',
    'test:',
    '\t',
    'null',
    '1',
    'scripts',
  )
  const text = fc.oneof(
    fc.constantFrom('null', '[]', '{"packages":[]}', '{"packages":{"a":null}}', '{"dependencies":[1]}', '{"scripts":{"test":1}}'),
    fc.array(piece).map(parts => parts.join('')),
  )
  const side = fc.option(fc.oneof(text, fc.record({ text: fc.option(text), mode: fc.constantFrom('100644', '120000', '160000') })))
  fc.assert(
    fc.property(path, side, side, (name, before, after) => {
      expect(() => judge(facts({ files: { [name]: [before, after] }, command: { text: 'npm test && make test' } }))).not.toThrow()
    }),
    { numRuns: 2000 },
  )
})
