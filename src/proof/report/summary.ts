import type { Finding, Severity } from '../../kernel/finding.ts'
import { colourOf, type RunColour } from '../judges/run-colour.ts'
import type { Cause, Proof } from '../proof.ts'

// What all reports say, worked out once.

type Run = Proof['runs'][number]

export interface RunView {
  run: Run
  colour: RunColour
  /** What §3 asks of it. */
  wanted: 'green' | 'red'
  asWanted: boolean
}

const WANTED: Record<string, (kind: Proof['command']['kind']) => 'green' | 'red'> = {
  base: kind => (kind === 'guard' ? 'green' : 'red'),
  half: () => 'red',
  broken: () => 'red',
}

/** Each run of a proof with what it showed and what it had to show. */
export function viewRuns({ runs, command, causes }: Proof): RunView[] {
  // Where a time-out is not counted as red it could not be measured, and that is a cause.
  const hang_is_red = !causes.includes('environment')
  return runs.map(run => {
    const wanted = WANTED[run.name]?.(command.kind) ?? 'green'
    const colour = colourOf(run, { hang_is_red })
    return { run, colour, wanted, asWanted: colour === wanted }
  })
}

const ORDER: Record<Severity, number> = { error: 0, review: 1, info: 2 }

/** What refuses first, then by place. An accepted finding stands after those that wait. */
export function orderedFindings(findings: readonly Finding[]): Finding[] {
  const rank = ({ severity, accepted }: Finding): number => ORDER[severity] * 2 + (accepted ? 1 : 0)
  return findings.toSorted(
    (a, b) => rank(a) - rank(b) || compare(a.path ?? '', b.path ?? '') || (a.line ?? 0) - (b.line ?? 0) || compare(a.id, b.id),
  )
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const count = (n: number, one: string): string => `${n} ${one}${n === 1 ? '' : 's'}`

const CAUSE_WORDS: Record<Cause, (proof: Proof) => string> = {
  interrupted: () => 'it was broken off, which says nothing about the work',
  environment: () => 'it could not be measured here, which says nothing about the work',
  verify: proof => {
    const wrong = viewRuns(proof).find(({ asWanted }) => !asWanted)
    return wrong ? `${wrong.run.name} is ${wrong.colour} and must be ${wrong.wanted}` : 'the command did not behave as it must'
  },
  findings: ({ findings }) => `${count(findings.filter(({ severity }) => severity === 'error').length, 'finding')} against it`,
  review: ({ findings }) =>
    `${count(findings.filter(({ severity, accepted }) => severity === 'review' && !accepted).length, 'finding')} for someone else to look at`,
  gates: ({ gates }) =>
    `not passed: ${
      gates
        .filter(({ passed }) => !passed)
        .map(({ name }) => name)
        .join(', ') || 'a gate'
    }`,
}

/** Why, in one line. */
export function whyOf(proof: Proof): string {
  if (proof.verdict === 'not_proven') return proof.causes.map(cause => CAUSE_WORDS[cause](proof)).join('; ') || 'no cause was given'
  return proof.command.kind === 'guard' ? 'green before and after, and red when the code is emptied' : 'red before, green after'
}

export function placeOf({ path, line }: Finding): string {
  return path === undefined ? '' : line === undefined ? path : `${path}:${line}`
}

export function timeOf(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

export function testsOf({ tests }: Run): string {
  if (!tests) return ''
  const parts = [count(tests.ran, 'test'), tests.failed > 0 && `${tests.failed} failed`, tests.skipped > 0 && `${tests.skipped} skipped`]
  return parts.filter(Boolean).join(', ')
}
