import type { Finding } from '../../kernel/finding.ts'
import { visibleLine } from '../../kernel/visible.ts'
import { wrap } from '../../kernel/wrap.ts'
import { NOTES_PUSH } from '../attest/notes.ts'
import type { CheckResult } from '../check/check.ts'
import type { Proof } from '../proof.ts'
import { PROOF_LIMIT_IN_SHORT } from './limits.ts'
import { orderedFindings, placeOf, testsOf, timeOf, viewRuns, whyOf } from './summary.ts'

/** What a surface lends for painting; colour only adds to glyph and word. */
export interface ReportPaint {
  bold: (text: string) => string
  dim: (text: string) => string
  good: (text: string) => string
  bad: (text: string) => string
  careful: (text: string) => string
  glyph: Record<'ok' | 'warn' | 'fail' | 'bullet' | 'arrow', string>
  width: number
}

const INDENT = '    '

/** For a person at a terminal: the verdict and why on the first line; then runs, gates, what to do, and where it is all kept. */
export function proofForPerson(proof: Proof, paint: ReportPaint): string {
  return [
    verdictLine(proof, paint),
    section(runLines(proof, paint)),
    section(findingLines(proof, paint)),
    section(placeLines(proof, paint)),
    paint.dim(PROOF_LIMIT_IN_SHORT),
  ]
    .filter(part => part !== '')
    .join('\n\n')
}

function verdictLine(proof: Proof, { bold, good, bad, careful, glyph }: ReportPaint): string {
  const why = visibleLine(whyOf(proof))
  if (proof.verdict === 'proven') return `${good(`${glyph.ok} ${bold('proven')}`)}  ${why}`
  const saysNothing = proof.causes.every(cause => cause === 'interrupted' || cause === 'environment' || cause === 'review')
  const paintIt = saysNothing ? careful : bad
  return `${paintIt(`${saysNothing ? glyph.warn : glyph.fail} ${bold('not proven')}`)}  ${why}`
}

function runLines(proof: Proof, paint: ReportPaint): string[] {
  const { runs, gates, command } = proof
  const { dim, bold } = paint
  const names = runs.map(({ name, n }) => (runs.some(other => other.name === name && other.n > 1) ? `${name} ${n}` : name))
  const width = Math.max(0, ...names.map(name => name.length), ...gates.map(({ name }) => name.length))
  const ran = viewRuns(proof).map(({ run, colour, wanted, asWanted }, at) => {
    const how = asWanted ? colour : `${colour}, must be ${wanted}`
    const ended = run.exit === null ? (run.signal ?? run.reason ?? 'no exit') : `exit ${run.exit}`
    const more = [ended, testsOf(run), timeOf(run.duration_ms)].filter(Boolean).join(', ')
    return `${mark(asWanted, paint)} ${(names[at] ?? '').padEnd(width)}  ${how}  ${dim(visibleLine(more))}`
  })
  const judged = gates.map(({ name, score, threshold, passed }) => {
    return `${mark(passed, paint)} ${visibleLine(name).padEnd(width)}  ${score} of 100  ${dim(`needs ${threshold}`)}`
  })
  return [`${bold('Runs')} ${dim(`of ${visibleLine(command.text)}`)}`, ...ran, ...judged]
}

function findingLines({ findings }: Proof, paint: ReportPaint): string[] {
  if (findings.length === 0) return []
  return [paint.bold('Findings'), ...orderedFindings(findings).flatMap(finding => findingLine(finding, paint))]
}

function findingLine(finding: Finding, { good, bad, careful, dim, glyph, width }: ReportPaint): string[] {
  const { id, severity, hint, said, measured, accepted } = finding
  const head = {
    error: bad(`${glyph.fail} error `),
    review: accepted ? good(`${glyph.ok} review`) : careful(`${glyph.warn} review`),
    info: dim(`${glyph.bullet} info  `),
  }[severity]
  const text = (words: string): string => `${INDENT}${wrap(visibleLine(words), width - INDENT.length - 2, `${INDENT}  `)}`
  return [
    `${head}  ${[visibleLine(placeOf(finding)), id].filter(Boolean).join('  ')}`,
    accepted ? text(`accepted by ${accepted.by}: ${accepted.reason}`) : text(hint),
    ...(said === undefined ? [] : [dim(text(`said: ${said}`))]),
    ...(measured === undefined ? [] : [dim(text(`measured: ${measured}`))]),
  ]
}

function placeLines({ bundle, attestation, result }: Proof, { bold, glyph }: ReportPaint): string[] {
  if (bundle === '') return []
  return [
    `${bold('Evidence')} ${visibleLine(bundle)}`,
    ...(attestation
      ? [
          `signed by ${attestation.keyid.slice(0, 16)} for tree ${result.tree.slice(0, 12)}`,
          `${glyph.arrow} to share it: ${NOTES_PUSH}`,
          `${glyph.arrow} to check it: qed proof check ${result.commit.slice(0, 12)}`,
        ]
      : []),
  ]
}

const section = ([head, ...lines]: string[]): string => (head === undefined ? '' : [head, ...lines.map(line => `  ${line}`)].join('\n'))

const mark = (ok: boolean, { good, bad, glyph }: ReportPaint): string => (ok ? good(glyph.ok) : bad(glyph.fail))

const MOST_PATHS = 20

/** The outcome of a check: the word first, then what decided it, then what was looked at. */
export function checkForPerson(checked: CheckResult, { bold, dim, good, bad, glyph }: ReportPaint): string {
  const { outcome, reason, proven, target, changed, signer, evidence, log } = checked
  const isGood = outcome === 'valid'
  const head = `${(isGood ? good : bad)(`${isGood ? glyph.ok : glyph.fail} ${bold(outcome)}`)}  ${visibleLine(reason)}`
  const looked = proven && [
    `  proven  commit ${proven.commit}  tree ${proven.tree}`,
    target.tree !== null && target.tree !== proven.tree && `  this    tree ${target.tree}`,
    signer && `  signer  ${signer.keyid}${signer.name === null ? '' : ` (${visibleLine(signer.name)})`}`,
    dim(`  evidence ${evidence}, log ${log}`),
  ]
  const paths = changed.slice(0, MOST_PATHS).map(path => `  ${glyph.bullet} ${visibleLine(path)}`)
  const rest =
    changed.length > MOST_PATHS ? [dim(`  and ${changed.length - MOST_PATHS} more: git diff ${proven?.tree} ${target.tree}`)] : []
  return [head, ...(looked ?? []).filter(line => typeof line === 'string'), ...paths, ...rest].join('\n')
}
