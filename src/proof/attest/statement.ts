import * as z from 'zod'
import { Acceptance, SEVERITIES } from '../../kernel/finding.ts'
import type { IsolationInForce } from '../../kernel/isolation.ts'
import type { ProofFacts, RunFact } from '../facts.ts'
import { CAUSES, type Proof } from '../proof.ts'

// F-30 and the table of predicate fields. What is read takes fields that it does not know, as in-toto asks; those that are named
// here must all be there.

export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1'
export const PREDICATE_TYPE = 'urn:qed:proof:v1'

const Sha256 = () => z.string().regex(/^[0-9a-f]{64}$/)
const GitId = () => z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)
const Stream = () => z.object({ sha256: Sha256(), bytes: z.int().nonnegative() })
const TestCounts = () => z.object({ ran: z.int(), passed: z.int(), failed: z.int(), skipped: z.int() })
const ISOLATION_LEVELS = ['none', 'process-group', 'worktree', 'bubblewrap'] as const

const Predicate = () =>
  z.object({
    verdict: z.enum(['proven', 'not_proven']),
    causes: z.array(z.enum(CAUSES)),
    brief: z
      .object({
        id: z.string(),
        digest: z.object({ sha256: z.string() }),
        mission: z.string().nullable(),
        task: z.string().nullable(),
        run: z.string().nullable(),
      })
      .nullable(),
    base: z.object({ gitCommit: GitId(), gitTree: GitId() }),
    command: z.object({
      shell: z.string(),
      text: z.string(),
      kind: z.enum(['red-green', 'guard']),
      timeout_s: z.int(),
      network: z.boolean(),
      repeat: z.int(),
    }),
    runs: z.array(
      z.object({
        name: z.string(),
        n: z.int(),
        gitTree: GitId(),
        exit: z.int().nullable(),
        signal: z.string().nullable(),
        reason: z.string(),
        duration_ms: z.number(),
        stdout: Stream(),
        stderr: Stream(),
        tests: TestCounts().nullable(),
      }),
    ),
    environment: z.object({
      os: z.string(),
      arch: z.string(),
      qed: z.string(),
      git: z.string(),
      tools: z.array(z.object({ name: z.string(), version: z.string() })),
      prepare: z.object({ command: z.string().nullable(), inputs: z.record(z.string(), z.string()), key: z.string().nullable() }),
      /** The weakest that was in force for any run; null where nothing ran. */
      isolation: z.looseObject({ level: z.enum(ISOLATION_LEVELS), degraded: z.string().nullable() }).nullable(),
    }),
    policy: z.object({ sha256: Sha256(), protected_sha256: Sha256(), thresholds: z.record(z.string(), z.number()) }),
    scope: z.object({
      owned: z.array(z.string()),
      changed: z.array(z.string()),
      allow: z.object({ tests: z.array(z.string()), judges: z.array(z.string()), dependencies: z.boolean() }),
    }),
    findings: z.array(
      z.object({ id: z.string(), severity: z.enum(SEVERITIES), path: z.string().optional(), accepted: Acceptance().optional() }),
    ),
    gates: z.array(
      z.object({
        name: z.string(),
        score: z.number(),
        threshold: z.number(),
        passed: z.boolean(),
        output: z.object({ sha256: Sha256() }).nullable(),
      }),
    ),
    evidence: z.object({ manifest: z.object({ sha256: Sha256() }) }),
    /** Null where there is no store. */
    log: z.object({ seq: z.int(), hash: Sha256(), previous: Sha256().nullable() }).nullable(),
    started_at: z.iso.datetime(),
    ended_at: z.iso.datetime(),
  })

export const Statement = () =>
  z.object({
    _type: z.literal(STATEMENT_TYPE),
    predicateType: z.literal(PREDICATE_TYPE),
    subject: z.tuple([
      z.object({ name: z.literal('tree'), digest: z.object({ gitTree: GitId(), dirHash: Sha256().optional() }) }),
      z.object({ name: z.literal('commit'), digest: z.object({ gitCommit: GitId() }) }),
    ]),
    predicate: Predicate(),
  })
export type Statement = z.infer<ReturnType<typeof Statement>>

export interface StatementInput {
  proof: Proof
  facts: ProofFacts
  /** Of the result's tree; null where a path holds a newline. */
  dirHash: string | null
  environment: { os: string; arch: string; qed: string; git: string }
  policy: { sha256: string; protected_sha256: string; thresholds: Record<string, number> }
  /** SHA-256 of the bundle's manifest. */
  manifest: string
  /** Head of the event log, and the last envelope of the same task. */
  log: { seq: number; hash: string; previous: string | null } | null
}

/** The proof as others will read it. Pure; what it is given is redacted already. */
export function statementOf({ proof, facts, dirHash, environment, policy, manifest, log }: StatementInput): Statement {
  const { prepare, terms } = facts
  return {
    _type: STATEMENT_TYPE,
    predicateType: PREDICATE_TYPE,
    subject: subjectOf(proof.result, dirHash),
    predicate: {
      verdict: proof.verdict,
      causes: proof.causes,
      brief: briefOf(facts),
      base: { gitCommit: proof.base.commit, gitTree: proof.base.tree },
      command: proof.command,
      runs: facts.runs.map(runOf),
      environment: {
        ...environment,
        tools: prepare.tools.map(({ name, version }) => ({ name, version })),
        prepare: { command: prepare.command, inputs: prepare.inputs, key: prepare.key },
        isolation: weakest(facts.runs.map(({ isolation }) => isolation)),
      },
      policy,
      scope: {
        ...proof.scope,
        allow: { tests: terms.scope.allow_tests, judges: terms.scope.allow_judges, dependencies: terms.scope.allow_dependencies },
      },
      findings: proof.findings.map(({ id, severity, path, accepted }) => ({
        id,
        severity,
        ...(path !== undefined && { path }),
        ...(accepted && { accepted }),
      })),
      gates: proof.gates.map(gate => ({ ...gate, output: gateOutput(facts, gate.name) })),
      evidence: { manifest: { sha256: manifest } },
      log,
      started_at: proof.started_at,
      ended_at: proof.ended_at,
    },
  }
}

function subjectOf(result: { commit: string; tree: string }, dirHash: string | null): Statement['subject'] {
  return [
    { name: 'tree', digest: { gitTree: result.tree, ...(dirHash !== null && { dirHash }) } },
    { name: 'commit', digest: { gitCommit: result.commit } },
  ]
}

function briefOf({ terms: { brief } }: ProofFacts): Statement['predicate']['brief'] {
  if (brief === null) return null
  const { id, digest, mission, task, run } = brief
  return { id, digest: { sha256: digest }, mission, task, run }
}

function runOf({
  name,
  n,
  tree,
  exit,
  signal,
  reason,
  duration_ms,
  stdout,
  stderr,
  tests,
}: RunFact): Statement['predicate']['runs'][number] {
  const stream = ({ sha256, bytes }: RunFact['stdout']) => ({ sha256, bytes })
  return { name, n, gitTree: tree, exit, signal, reason, duration_ms, stdout: stream(stdout), stderr: stream(stderr), tests }
}

function gateOutput(facts: ProofFacts, name: string): { sha256: string } | null {
  const output = facts.gates.find(({ definition }) => definition.name === name)?.output
  return output ? { sha256: output.sha256 } : null
}

/** How strong a level is; higher holds more. */
export function isolationRank(level: IsolationInForce['level']): number {
  return ISOLATION_LEVELS.indexOf(level)
}

function weakest(all: readonly IsolationInForce[]): Statement['predicate']['environment']['isolation'] {
  const strength = ({ level, degraded }: IsolationInForce): number => isolationRank(level) * 2 + (degraded === null ? 1 : 0)
  const [low] = all.toSorted((a, b) => strength(a) - strength(b))
  return low ? { ...low } : null
}
