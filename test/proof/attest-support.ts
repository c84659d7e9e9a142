import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../src/kernel/clock.ts'
import type { IsolationInForce } from '../../src/kernel/isolation.ts'
import { newId } from '../../src/kernel/new-id.ts'
import { sha256 } from '../../src/kernel/sha256.ts'
import { redactText } from '../../src/policy/secrets/redact.ts'
import { type Attested, type AttestInput, attestProof } from '../../src/proof/attest/attest.ts'
import { openProofKey } from '../../src/proof/attest/keys.ts'
import { trustedKeys } from '../../src/proof/attest/trust.ts'
import { type CheckPorts, type CheckRequest, type CheckResult, checkProof } from '../../src/proof/check/check.ts'
import { evidencePlace } from '../../src/proof/evidence/place.ts'
import type { GateFact, KeptOutput, ProofFacts, RunFact } from '../../src/proof/facts.ts'
import type { Proof } from '../../src/proof/proof.ts'
import { createGit, type Git } from '../../src/sandbox/git/git.ts'
import { bench, git, repository, write } from '../sandbox/support.ts'
import { handClock } from '../support/clock.ts'
import { temporaryFolder } from '../support/folders.ts'

export const output = (text: string): KeptOutput => ({
  text,
  bytes: Buffer.byteLength(text),
  sha256: sha256(text),
  cut: false,
  secret: false,
})

export const isolation = (changes: Partial<IsolationInForce> = {}): IsolationInForce => ({
  level: 'bubblewrap',
  planned: 'proof',
  limitations: [],
  filesystem: 'read-only-root',
  writable: [],
  hidden: [],
  network: 'off',
  pid_namespace: true,
  environment: 'filtered',
  facets: { scope: 'place', tmp: 'private', home: 'masked', git: 'absent', sockets: 'masked', userns: 'disabled' },
  probe: { at: '2026-01-01T00:00:00.000Z', tool: 'bubblewrap 0.8.0', checks: { owned_write: 'pass' } },
  degraded: null,
  ...changes,
})

export const run = (changes: Partial<RunFact> & { tree: string }): RunFact => ({
  name: 'result',
  n: 1,
  exit: 0,
  signal: null,
  reason: 'exited',
  duration_ms: 12,
  stdout: output('1..1\nok 1 - adds\n'),
  stderr: output(''),
  tests: { ran: 1, passed: 1, failed: 0, skipped: 0 },
  ended: [],
  escaped: [],
  isolation: isolation(),
  ...changes,
})

export const gate = (name: string, changes: Partial<GateFact> = {}): GateFact => ({
  definition: { name, score: 'exit', threshold: 80, timeout_s: 600, network: false },
  changed: false,
  outcome: 'scored',
  score: 100,
  critical: [],
  findings: [],
  output: output('fine\n'),
  ...changes,
})

interface Ends {
  base: { commit: string; tree: string }
  result: { commit: string; tree: string }
}

export function facts({ base, result }: Ends, changes: Partial<ProofFacts> = {}): ProofFacts {
  return {
    terms: {
      brief: null,
      command: { text: 'npm test', kind: 'red-green', timeout_s: 600, network: false, repeat: 1, hang_is_red: false, sabotage: null },
      scope: { owned: ['src/**'], allow_tests: [], allow_judges: [], allow_dependencies: false, destructive: [] },
      gates: [],
    },
    settings: { tests: [], outputs: [], secret_allow: [], gates: [], vary: false },
    base,
    result,
    changes: [],
    paths: { base: new Map(), result: new Map() },
    verify_inputs: [],
    tests: new Map(),
    runs: [run({ name: 'base', tree: base.tree, exit: 1 }), run({ tree: result.tree })],
    plan: { required: ['base', 'result'], sabotage: [], skipped: [] },
    prepare: { command: null, inputs: {}, key: null, tools: [{ name: 'node', version: '24.11.0' }], from: 'base', outcome: 'none' },
    surroundings: null,
    gates: [],
    brief_digest: null,
    tree_at_end: null,
    regressions: [],
    claim: null,
    acceptances: [],
    author: null,
    canaries: [],
    ...changes,
  }
}

export function proofOf(measured: ProofFacts, changes: Partial<Proof> = {}): Proof {
  const { text, kind, timeout_s, network, repeat } = measured.terms.command
  return {
    proof_id: newId('prf', handClock()),
    verdict: 'proven',
    causes: [],
    base: measured.base,
    result: measured.result,
    command: { shell: 'bash', text, kind, timeout_s, network, repeat },
    runs: measured.runs.map(({ name, n, tree, exit, duration_ms, tests, stdout, stderr }) => ({
      name,
      n,
      tree,
      exit,
      duration_ms,
      ...(tests && { tests }),
      stdout_sha256: stdout.sha256,
      stderr_sha256: stderr.sha256,
    })),
    findings: [],
    gates: measured.gates.map(({ definition: { name, threshold }, score }) => ({ name, score, threshold, passed: score >= threshold })),
    scope: { owned: measured.terms.scope.owned ?? [], changed: ['src/sum.js'] },
    environment: { os: 'linux', arch: 'x64' },
    bundle: '',
    attestation: null,
    started_at: '2026-01-31T12:00:00.000Z',
    ended_at: '2026-01-31T12:00:05.000Z',
    ...changes,
  }
}

export interface Desk {
  root: string
  personal: string
  git: Git
  clock: Clock & { advance(ms: number): void }
  proofs: string
  /** Proves nothing: signs what the test says was measured. */
  attest: (changes?: { facts?: Partial<ProofFacts>; proof?: Partial<Proof>; input?: Partial<AttestInput> }) => Promise<Attested>
  check: (target: string, asked?: Omit<CheckRequest, 'target'>, ports?: Partial<CheckPorts>) => Promise<CheckResult>
  /** The ids of a commit. */
  ends: (name?: string) => { commit: string; tree: string }
}

export interface DeskOptions {
  root?: string
  personal?: string
  hasQed?: boolean
}

/** A repository with a base and a result, a key of its own, and all that attesting and checking need. */
export function desk({
  root = changedRepository(),
  personal = join(temporaryFolder(), 'personal'),
  hasQed = true,
}: DeskOptions = {}): Desk {
  const { processes, state } = bench()
  const gitFolder = join(root, '.git')
  const repo = createGit(processes, { root, gitFolder })
  const clock = handClock()
  const place = evidencePlace({ root, gitFolder, hasQed }, state)
  const ends: Desk['ends'] = (name = 'HEAD') => ({ commit: git(root, 'rev-parse', name), tree: git(root, 'rev-parse', `${name}^{tree}`) })
  const attest: Desk['attest'] = ({ facts: measured = {}, proof = {}, input = {} } = {}) => {
    const { result = ends(), base = ends(`${result.commit}~1`) } = measured
    const all = facts({ base, result }, measured)
    const ported = { git: repo, key: openProofKey(personal), place, redact: redactText, clock, state }
    return attestProof(
      {
        proof: proofOf(all, proof),
        facts: all,
        brief: null,
        scope: null,
        environment: { os: 'linux', arch: 'x64', qed: '0.1.0', git: '2.39.5' },
        policy: { sha256: sha256('policy'), protected_sha256: sha256('protected'), thresholds: {} },
        log: null,
        alsoTestResult: false,
        store: true,
        ...input,
      },
      ported,
    )
  }
  const check: Desk['check'] = (target, asked = {}, ports = {}) =>
    checkProof(
      { target, ...asked },
      {
        git: repo,
        cwd: root,
        capture: () => Promise.resolve(ends()),
        trusted: trustedKeys(personal),
        clock,
        proofs: [place.proofs],
        log: null,
        rerun: () => Promise.resolve('green'),
        ...ports,
      },
    )
  return { root, personal, git: repo, clock, proofs: place.proofs, attest, check, ends }
}

/** A repository with two commits, the second of which mends the code. */
function changedRepository(): string {
  const root = repository({ 'src/sum.js': 'export const sum = (a, b) => a - b\n', 'bin/run': '#!/bin/sh\n', '.gitignore': '.qed/\n' })
  return commit(root, { 'src/sum.js': 'export const sum = (a, b) => a + b\n' })
}

export function commit(root: string, files: Record<string, string>): string {
  write(root, files)
  git(root, 'add', '-A')
  git(root, 'commit', '--quiet', '-m', 'work')
  return root
}

export const readLines = (file: string): string[] => readFileSync(file, 'utf8').trimEnd().split('\n')
