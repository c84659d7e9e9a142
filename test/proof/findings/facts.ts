import type { Finding } from '../../../src/kernel/finding.ts'
import { sha256 } from '../../../src/kernel/sha256.ts'
import type { Change, FileSide, ProofFacts } from '../../../src/proof/facts.ts'
import type { FindingRule } from '../../../src/proof/findings/rule.ts'

/** Files by path before and after; null: not there. */
export type Edit = Record<string, [before: string | null, after: string | null]>

interface Circumstances {
  allow_tests?: string[]
  secret_allow?: string[]
  moved?: Record<string, string>
  /** Test files that did not change. */
  unchanged?: Record<string, string>
}

const TESTS = [
  '**/*.{test,spec}.*',
  '**/{test,tests,__tests__,spec}/**',
  '**/test_*.py',
  '**/*_test.{py,go,rs}',
  '**/*_spec.rb',
  '**/*{Test,Tests}.{java,kt,cs,php}',
  '**/__snapshots__/**',
  '*.snap',
  '**/{golden,testdata}/**',
]

const side = (text: string | null): FileSide | null =>
  text === null ? null : { mode: '100644', oid: sha256(text).slice(0, 40), size: Buffer.byteLength(text), binary: false, text }

/** Facts of which only what the text rules read is real. */
export function factsOf(edit: Edit, { allow_tests = [], secret_allow = [], moved = {}, unchanged = {} }: Circumstances = {}): ProofFacts {
  const from = new Map(Object.entries(moved).map(([old, now]) => [now, old]))
  const changes = Object.entries(edit).map(([path, [before, after]]): Change => {
    const [to, source] = [moved[path], from.get(path)]
    return {
      path,
      kind: before === null ? 'added' : after === null ? 'deleted' : 'changed',
      before: side(before),
      after: side(after),
      ...(to !== undefined && { moved_to: to }),
      ...(source !== undefined && { moved_from: source }),
    }
  })
  const now = Object.entries(edit).flatMap(([path, [, after]]) => (after === null ? [] : [[path, after] as const]))
  const facts: Partial<ProofFacts> & Pick<ProofFacts, 'terms' | 'settings'> = {
    terms: {
      brief: null,
      command: { text: 'npm test', kind: 'red-green', timeout_s: 600, network: false, repeat: 1, hang_is_red: false, sabotage: null },
      scope: { owned: null, allow_tests, allow_judges: [], allow_dependencies: false, destructive: [] },
      gates: [],
    },
    settings: { tests: TESTS, outputs: [], secret_allow, gates: [], vary: false },
    changes,
    tests: new Map([...now, ...Object.entries(unchanged)]),
    runs: [],
    gates: [],
    canaries: [],
  }
  return facts as ProofFacts
}

/** What rules find, as `id path:line`. */
export function found(rules: readonly FindingRule[], facts: ProofFacts): string[] {
  return rules.flatMap(rule => rule(facts)).map(shown)
}

const shown = ({ id, path, line, severity }: Finding): string =>
  `${severity === 'error' ? '' : `${severity} `}${id} ${path ?? ''}${line === undefined ? '' : `:${line}`}`.trim()
