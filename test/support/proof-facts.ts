import type { Finding } from '../../src/kernel/finding.ts'
import type { IsolationInForce } from '../../src/kernel/isolation.ts'
import type { Change, FileSide, GateFact, KeptOutput, ProofFacts, RunFact, RunPlan, Surroundings } from '../../src/proof/facts.ts'
import { judge } from '../../src/proof/judge.ts'
import type { GateDefinition, ProofScope, ProofSettings, VerifyCommand } from '../../src/proof/terms.ts'

export const TEST_PATTERNS = [
  '**/*.{test,spec}.*',
  '**/{test,tests,__tests__,spec}/**',
  '**/test_*.py',
  '**/*_test.{py,go,rs}',
  '**/*_spec.rb',
  '**/*{Test,Tests}.{java,kt,cs,php}',
  '**/__snapshots__/**',
  '**/*.snap',
  '**/{golden,testdata}/**',
]

/** One file of a tree: its text, or text and mode, or bytes that are no text. */
export type Side = string | { text?: string | null; mode?: string; size?: number; binary?: boolean; oid?: string }
/** Before and after by path; null where there is no file. What stands on both sides alike is unchanged. */
export type Files = Record<string, [before: Side | null, after: Side | null]>

type Own = Omit<Partial<ProofFacts>, 'settings' | 'surroundings' | 'plan'> & {
  files?: Files
  scope?: Partial<ProofScope>
  command?: Partial<VerifyCommand>
  settings?: Partial<ProofSettings>
  surroundings?: Partial<Omit<Surroundings, 'git'>> & { git?: Partial<Surroundings['git']> }
  plan?: Partial<RunPlan>
  /** Names of the gates that must pass. */
  required?: string[]
  standalone?: boolean
}

/** What an honest, proven piece of work measures: a function and its new test, red before, green after. */
export function facts(own: Own = {}): ProofFacts {
  const { files = HONEST, scope, command, settings, surroundings, plan, required, standalone, ...rest } = own
  const changes = changesOf(files)
  return {
    terms: {
      brief: standalone === true ? null : { id: 'b', digest: 'd', mission: 'm', task: 't', run: 'run-1' },
      command: {
        text: 'npm test',
        kind: 'red-green',
        timeout_s: 600,
        network: false,
        repeat: 1,
        hang_is_red: false,
        sabotage: null,
        ...command,
      },
      scope: { owned: ['**'], allow_tests: [], allow_judges: [], allow_dependencies: false, destructive: [], ...scope },
      gates: required ?? [],
    },
    settings: { tests: TEST_PATTERNS, outputs: [], secret_allow: [], gates: [], vary: false, ...settings },
    base: { commit: 'c0', tree: 't0' },
    result: { commit: 'c1', tree: changes.length === 0 ? 't0' : 't1' },
    changes,
    paths: { base: modesOf(files, 0), result: modesOf(files, 1) },
    verify_inputs: [],
    tests: new Map(),
    runs: [run('base', { exit: 1 }), run('result')],
    plan: { required: ['base', 'result'], sabotage: [], skipped: [], ...plan },
    prepare: { command: null, inputs: {}, key: null, tools: [], from: 'base', outcome: 'none' },
    surroundings: surroundings === undefined ? null : around(surroundings),
    gates: [],
    brief_digest: standalone === true ? null : 'd',
    tree_at_end: null,
    regressions: [],
    claim: null,
    acceptances: [],
    author: 'run-1',
    canaries: [],
    ...rest,
  }
}

const HONEST: Files = {
  'src/sum.js': ['export const sum = (a, b) => a - b\n', 'export const sum = (a, b) => a + b\n'],
  'test/sum.test.js': [null, 'test("sum", () => expect(sum(1, 2)).toBe(3))\n'],
}

export function run(name: RunFact['name'], own: Partial<RunFact> = {}): RunFact {
  return {
    name,
    n: 1,
    tree: name === 'base' ? 't0' : 't1',
    exit: name === 'half' || name === 'broken' ? 1 : 0,
    signal: null,
    reason: 'exited',
    duration_ms: 100,
    stdout: output(),
    stderr: output(),
    tests: null,
    ended: [],
    escaped: [],
    isolation: ISOLATION,
    ...own,
  }
}

export function output(own: Partial<KeptOutput> = {}): KeptOutput {
  return { text: '', bytes: 0, sha256: '', cut: false, secret: false, ...own }
}

export const ISOLATION: IsolationInForce = {
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
  probe: { at: '2026-01-01T00:00:00.000Z', tool: 'bwrap', checks: {} },
  degraded: null,
}

export function gate(name: string, own: Partial<Omit<GateFact, 'definition'>> & { threshold?: number } = {}): GateFact {
  const { threshold = 80, ...rest } = own
  const definition: GateDefinition = { name, score: 'json', threshold, timeout_s: 600, network: false }
  return { definition, changed: false, outcome: 'scored', score: 100, critical: [], findings: [], output: null, ...rest }
}

function around({ git, ...own }: NonNullable<Own['surroundings']>): Surroundings {
  return {
    sandboxed: false,
    commands: [],
    ignored: [],
    outside: [],
    sacred: [],
    hard_links: [],
    git: { hooks: [], config: [], replace: [], index_flags: [], refs: [], ...git },
    ended: [],
    escaped: [],
    destructive: [],
    ...own,
  }
}

function sideOf(side: Side | null): FileSide | null {
  if (side === null) return null
  const { text = '', mode = '100644', size, binary = false, oid } = typeof side === 'string' ? { text: side } : side
  return { mode, oid: oid ?? `${mode}:${text}`, size: size ?? text?.length ?? 0, binary, text: binary ? null : text }
}

function changesOf(files: Files): Change[] {
  return Object.entries(files)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([path, [old, now]]): Change[] => {
      const [before, after] = [sideOf(old), sideOf(now)]
      if (JSON.stringify(before) === JSON.stringify(after)) return []
      return [{ path, kind: before === null ? 'added' : after === null ? 'deleted' : 'changed', before, after }]
    })
}

function modesOf(files: Files, side: 0 | 1): Map<string, string> {
  return new Map(Object.entries(files).flatMap(([path, sides]) => (sides[side] === null ? [] : [[path, sideOf(sides[side])?.mode ?? '']])))
}

/** Findings in short: `severity id path`. */
export function brief(findings: readonly Finding[]): string[] {
  return findings.map(({ severity, id, path }) => [severity, id, ...(path === undefined ? [] : [path])].join(' '))
}

export function judged(own: Own = {}): string[] {
  return brief(judge(facts(own)).findings)
}
