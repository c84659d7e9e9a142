import { expect, test } from 'vitest'
import { systemClock } from '../../src/kernel/clock.ts'
import { newId } from '../../src/kernel/new-id.ts'
import { statementOf } from '../../src/proof/attest/statement.ts'
import type { ProofFacts } from '../../src/proof/facts.ts'
import { toProof } from '../../src/proof/to-proof.ts'
import { facts, gate, run } from './attest-support.ts'

const BASE = { commit: 'a'.repeat(40), tree: '1'.repeat(40) }
const RESULT = { commit: 'b'.repeat(40), tree: '2'.repeat(40) }
const AT = '2026-01-31T12:00:00.000Z'
const SHA = '0'.repeat(64)

function told(changes: Partial<ProofFacts>) {
  const measured = facts({ base: BASE, result: RESULT }, changes)
  const judgement = { verdict: 'not_proven' as const, causes: [], findings: [] }
  const proof = toProof({ proof: newId('prf', systemClock), facts: measured, judgement, kept: [], started_at: AT, ended_at: AT })
  const statement = statementOf({
    proof: { ...proof, bundle: '', attestation: null },
    facts: measured,
    dirHash: SHA,
    environment: { os: 'linux', arch: 'x64', qed: '0', git: '2' },
    policy: { sha256: SHA, protected_sha256: SHA, thresholds: {} },
    manifest: SHA,
    log: null,
  })
  return [proof, statement.predicate] as const
}

test('a gate that the work has changed is not passed, whatever its score', () => {
  const gates = [gate('kept'), gate('moved', { changed: true }), gate('odd', { score: 101 })]
  const both = told({ gates }).map(one => one.gates.map(({ name, passed }) => [name, passed]))
  const wanted = [
    ['kept', true],
    ['moved', false],
    ['odd', false],
  ]
  expect(both).toEqual([wanted, wanted])
})

test('F-13 a base that was taken over says so wherever it is told', () => {
  const runs = [run({ name: 'base', tree: BASE.tree, exit: 1, reused: true }), run({ tree: RESULT.tree })]
  const both = told({ runs }).map(one => one.runs.map(({ name, reused }) => [name, reused]))
  const wanted = [
    ['base', true],
    ['result', undefined],
  ]
  expect(both).toEqual([wanted, wanted])
})
