import type { Acceptance } from '../kernel/finding.ts'
import type { IsolationInForce } from '../kernel/isolation.ts'
import type { GateDefinition, ProofSettings, ProofTerms } from './terms.ts'

// Everything that was measured, and nothing that anyone said. Findings and verdict are pure functions of this.

export interface ProofFacts {
  terms: ProofTerms
  settings: ProofSettings
  base: TreeRef
  result: TreeRef
  /** Every path that differs between base and result, sorted by path. */
  changes: Change[]
  /** All paths of the two trees with their git modes. */
  paths: { base: ReadonlyMap<string, string>; result: ReadonlyMap<string, string> }
  /** Paths of the result that git could not take: a repository inside without a commit. */
  left_out?: string[]
  /** Files of the base that the verify command reads to judge: operands, manifest scripts' files, scripts they call. */
  verify_inputs: string[]
  /** What the command leads to in the result: manifest scripts and make targets, whose text can hide a failure too. Left out,
   *  those of changed files are looked at. */
  verify_scripts?: VerifyScript[]
  /** Text of the test-side files of the result, as far as they are text and not huge. */
  tests: ReadonlyMap<string, string>
  runs: RunFact[]
  /** Which runs had to be made; what was left out says why. */
  plan: RunPlan
  prepare: PrepareFact
  /** What changed around the work between its start and its end; null where nobody looked before (standalone). */
  surroundings: Surroundings | null
  gates: GateFact[]
  /** Digest of the brief as it is now; null standalone. */
  brief_digest: string | null
  /** The tree as it is at the end; another one than `result.tree` means that someone went on editing. Null where the result is a
   *  commit and cannot change. */
  tree_at_end: string | null
  /** Landed tasks whose verify command was run on this tree. */
  regressions: { task: string; command: string; green: boolean }[]
  /** What the worker's numbers were, to compare them; never a ground for anything. */
  claim: { exit?: number; tests?: Partial<TestCounts>; gates?: string[] } | null
  acceptances: FindingAcceptance[]
  /** Who did the work: run id or role. Their acceptance counts for nothing. */
  author: string | null
  /** Vault canaries were seen in these places. */
  canaries: string[]
}

/** One script of a manifest, or the recipe of one target. */
export interface VerifyScript {
  path: string
  name: string
  text: string
  /** `lines`: every line is a shell of its own and ends the whole when it fails. */
  form: 'script' | 'lines'
}

export interface TreeRef {
  commit: string
  tree: string
}

/** One side of a file. A link's text is its target; a binary or huge file has none. */
export interface FileSide {
  /** As git writes it: 100644, 100755, 120000, 160000. */
  mode: string
  oid: string
  size: number
  binary: boolean
  text: string | null
}

/** A path that differs. A move is two changes: the old path `deleted` with `moved_to`, the new one `added` with `moved_from`. */
export interface Change {
  path: string
  kind: 'added' | 'changed' | 'deleted'
  before: FileSide | null
  after: FileSide | null
  moved_from?: string
  moved_to?: string
}

export const RUN_NAMES = ['base', 'half', 'broken', 'result', 'vary'] as const
export type RunName = (typeof RUN_NAMES)[number]

export interface TestCounts {
  ran: number
  passed: number
  failed: number
  skipped: number
}

export interface RunFact {
  name: RunName
  /** From 1; only `result` has more. */
  n: number
  tree: string
  exit: number | null
  signal: string | null
  /** How the process ended, in the words of the sandbox. */
  reason: 'exited' | 'signalled' | 'timeout' | 'silent' | 'output-limit' | 'aborted' | 'not-started'
  duration_ms: number
  stdout: KeptOutput
  stderr: KeptOutput
  /** Null where the format is not known. */
  tests: TestCounts | null
  /** Left behind by the command and ended. */
  ended: string[]
  escaped: string[]
  isolation: IsolationInForce
  /** Taken over from an earlier proof of the same base, command, layer and isolation. */
  reused?: true
}

export interface KeptOutput {
  /** Redacted, its middle left out where it was long. */
  text: string
  bytes: number
  sha256: string
  cut: boolean
  /** A secret was taken out of it. */
  secret: boolean
}

export interface RunPlan {
  required: RunName[]
  /** Paths of the result that are emptied for `broken`. */
  sabotage: string[]
  skipped: { name: RunName; why: 'tests-inside-code' | 'nothing-to-empty' | 'test-only-without-sabotage' }[]
}

export interface PrepareFact {
  command: string | null
  /** Lock and manifest files by path → SHA-256. */
  inputs: Record<string, string>
  key: string | null
  tools: { name: string; version: string }[]
  /** Which tree's files it was made from. */
  from: 'base' | 'result'
  outcome: 'none' | 'made' | 'reused' | 'failed'
  /** Last lines of what failed. */
  output?: string
  /** Made from the base's files it works, from the result's it does not. */
  mismatch?: string
}

/** F-5: what differs around the work between before and after, by kind. */
export interface Surroundings {
  /** Whether bubblewrap was in force for every process of the run. */
  sandboxed: boolean
  /** Shell commands of the run, to see whether one names a path or ref. */
  commands: string[]
  ignored: { path: string; kind: 'added' | 'changed' | 'deleted' }[]
  outside: { path: string; kind: 'added' | 'changed' | 'deleted' }[]
  sacred: string[]
  /** Tracked or untracked files with a second name that is new. */
  hard_links: string[]
  git: { hooks: string[]; config: string[]; replace: string[]; index_flags: string[]; refs: string[] }
  ended: string[]
  escaped: string[]
  destructive: { command: string; state: 'undeclared' | 'step-missing' }[]
}

export interface GateFact {
  definition: GateDefinition
  /** The base defines it otherwise, or not at all. */
  changed: boolean
  outcome: 'scored' | 'failed' | 'missing'
  score: number
  critical: string[]
  findings: string[]
  output: KeptOutput | null
}

export interface FindingAcceptance extends Acceptance {
  finding: string
  path?: string
  /** Of a checker's PASS; below 0.7, or left out, a checker's word counts for nothing. */
  confidence?: number
}
