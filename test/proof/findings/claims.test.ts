import { describe, expect, test } from 'vitest'
import { FINDINGS } from '../../../src/proof/findings/catalogue.ts'
import { judge } from '../../../src/proof/judge.ts'
import { facts, gate, judged, run } from '../../support/proof-facts.ts'

describe('claims', () => {
  const nothing = { files: {} }
  const looked = { runs: [run('base'), run('result')], command: { kind: 'guard' as const } }

  test('row 4 nothing changed', () => {
    expect([
      judged(nothing),
      judged({ ...nothing, ...looked }),
      judged({ ...nothing, ...looked, standalone: true }),
      judged({ ...nothing, standalone: true }),
    ]).toEqual([['error claim.no-op'], ['error claim.no-op'], ['info claim.no-op'], ['error claim.no-op']])
  })

  test('row 3 the tree went on', () => {
    expect([judged({ tree_at_end: 't2' }), judged({ tree_at_end: 't1' }), judged({ tree_at_end: null })]).toEqual([
      ['error claim.stale'],
      [],
      [],
    ])
  })

  test('row 2 what was said is compared and otherwise left alone', () => {
    const runs = [run('base', { exit: 1 }), run('result', { tests: { ran: 3, passed: 3, failed: 0, skipped: 0 } })]
    expect(judged({ runs, claim: { exit: 0, tests: { ran: 3 } } })).toEqual([])
    const { findings, verdict } = judge(facts({ runs, claim: { exit: 1, tests: { ran: 9, passed: 3 }, gates: ['codeaudit'] } }))
    expect([findings.map(one => [one.id, one.severity, one.said, one.measured]), verdict]).toEqual([
      [
        ['claim.false', 'info', 'exit 1', 'exit 0'],
        ['claim.false', 'info', 'gate codeaudit passed', 'it did not'],
        ['claim.false', 'info', 'ran 9', 'ran 3'],
      ],
      'proven',
    ])
  })

  test('row 50 another brief', () => {
    expect([judged({ brief_digest: 'e' }), judged({ brief_digest: null }), judged({ standalone: true })]).toEqual([
      ['error brief.changed'],
      ['error brief.changed'],
      [],
    ])
  })
})

describe('row 48 gates', () => {
  test.each([
    ['passed', [gate('g')], []],
    ['just passed', [gate('g', { score: 80 })], []],
    ['below', [gate('g', { score: 79.9 })], ['error gate.failed']],
    ['critical', [gate('g', { critical: ['TLS off'] })], ['error gate.failed']],
    ['crashed', [gate('g', { outcome: 'failed', score: 100 })], ['error gate.failed']],
    ['no number', [gate('g', { score: Number.NaN })], ['error gate.failed']],
    ['over a hundred', [gate('g', { score: 101 })], ['error gate.failed']],
    ['not run', [gate('g', { outcome: 'missing' })], ['error gate.missing']],
    ['unknown', [], ['error gate.missing']],
    ['edited', [gate('g', { changed: true })], ['error gate.changed']],
    ['another that nobody requires', [gate('g'), gate('h', { score: 0 })], []],
  ])('%s', (_, gates, found) => expect(judged({ gates, required: ['g'] })).toEqual(found))
})

describe('beside the tree', () => {
  test('row 52 an earlier task', () => {
    const one = { task: 't0', command: 'npm test' }
    expect([judged({ regressions: [{ ...one, green: false }] }), judged({ regressions: [{ ...one, green: true }] })]).toEqual([
      ['error regress.task'],
      [],
    ])
  })

  test('row 53 destructive commands', () => {
    const destructive = [
      { command: 'rm -rf data', state: 'undeclared' as const },
      { command: 'rm -rf out', state: 'step-missing' as const },
    ]
    expect(judged({ surroundings: { destructive } })).toEqual(['error destructive.step-missing', 'error destructive.undeclared'])
  })

  test('row 49 nobody accepts their own work', () => {
    const acceptance = { finding: 'blob.binary', role: 'person' as const, at: '', reason: 'fine' }
    const files = { 'a.png': [null, { binary: true }] as [null, { binary: boolean }] }
    expect(judged({ files, acceptances: [{ ...acceptance, by: 'run-1' }] })).toEqual(['error review.self', 'review blob.binary a.png'])
    expect(judged({ files, acceptances: [{ ...acceptance, by: 'ada' }] })).toEqual(['review blob.binary a.png'])
  })
})

test('every finding names a next step of its own', () => {
  const hints = Object.values(FINDINGS).map(row => row.hint)
  expect(new Set(hints).size).toBe(hints.length)
})
