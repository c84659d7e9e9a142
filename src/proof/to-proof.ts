import type { Finding } from '../kernel/finding.ts'
import type { ProofId } from '../kernel/ids.ts'
import type { Json } from '../kernel/json.ts'
import { version } from '../kernel/version.ts'
import type { GateFact, ProofFacts, RunFact } from './facts.ts'
import type { Cause, Proof } from './proof.ts'
import { shellName } from './runs/run-verify.ts'

export interface Judgement {
  verdict: Proof['verdict']
  causes: Cause[]
  findings: Finding[]
}

interface Parts {
  proof: ProofId
  facts: ProofFacts
  judgement: Judgement
  started_at: string
  ended_at: string
}

/** The facts and what follows from them, in the form that is shown and kept. */
export function toProof({ proof, facts, judgement, started_at, ended_at }: Parts): Omit<Proof, 'bundle' | 'attestation'> {
  const { text, kind, timeout_s, network, repeat } = facts.terms.command
  return {
    proof_id: proof,
    verdict: judgement.verdict,
    causes: judgement.causes,
    base: { commit: facts.base.commit, tree: facts.base.tree },
    result: { commit: facts.result.commit, tree: facts.result.tree },
    command: { shell: shellName(), text, kind, timeout_s, network, repeat },
    runs: facts.runs.map(toRun),
    findings: judgement.findings,
    gates: facts.gates.map(toGate),
    scope: { owned: facts.terms.scope.owned ?? [], changed: facts.changes.map(({ path }) => path) },
    environment: environmentOf(facts),
    started_at,
    ended_at,
  }
}

function toRun({ name, n, tree, exit, signal, reason, duration_ms, tests, stdout, stderr }: RunFact): Proof['runs'][number] {
  return {
    name,
    n,
    tree,
    exit,
    ...(signal !== null && { signal }),
    ...(reason !== 'exited' && { reason }),
    duration_ms,
    ...(tests && { tests }),
    stdout_sha256: stdout.sha256,
    stderr_sha256: stderr.sha256,
  }
}

function toGate({ definition: { name, threshold }, outcome, score, critical }: GateFact): Proof['gates'][number] {
  return { name, score, threshold, passed: outcome === 'scored' && score >= threshold && critical.length === 0 }
}

function environmentOf({ prepare, runs, surroundings }: ProofFacts): Record<string, Json> {
  const isolation = runs.find(({ name }) => name === 'result')?.isolation ?? null
  return {
    os: process.platform,
    arch: process.arch,
    qed: version,
    prepare: { ...prepare },
    isolation: isolation && (JSON.parse(JSON.stringify(isolation)) as Json),
    not_measured: surroundings === null ? ['ignored files', 'files outside', 'git metadata', 'processes left by the work'] : [],
  }
}
