import type { Finding } from '../../kernel/finding.ts'
import { isPlainObject } from '../../kernel/json.ts'
import { visibleLine } from '../../kernel/visible.ts'
import { wrap } from '../../kernel/wrap.ts'
import { NOTES_PUSH } from '../attest/notes.ts'
import type { CheckResult } from '../check/check.ts'
import type { Proof } from '../proof.ts'
import { PROOF_LIMIT_IN_SHORT } from './limits.ts'
import { orderedFindings, placeOf, prepareFailure, speaksAgainst, testsOf, timeOf, underHome, viewRuns, whyOf } from './summary.ts'

/** What a surface lends for painting; colour only adds to glyph and word. */
export interface ReportPaint {
  bold: (text: string) => string
  dim: (text: string) => string
  good: (text: string) => string
  bad: (text: string) => string
  careful: (text: string) => string
  glyph: Record<'ok' | 'warn' | 'fail' | 'bullet' | 'arrow', string>
  width: number
  home?: string | undefined
}

const INDENT = '    '

/** For a person at a terminal: the verdict and why on the first line; then runs, gates, what to do, and where it is all kept. */
export function proofForPerson(proof: Proof, paint: ReportPaint): string {
  return [
    verdictLine(proof, paint),
    section(prepareLines(proof, paint)),
    section(runLines(proof, paint)),
    section(findingLines(proof, paint)),
    section(placeLines(proof, paint)),
    section(keptLines(proof, paint)),
    paint.dim(wrap(PROOF_LIMIT_IN_SHORT, paint.width, '')),
  ]
    .filter(part => part !== '')
    .join('\n\n')
}

/** The verdict with its runs and findings, for someone who watches and sees the rest at the end. */
export function judgedForPerson(proof: Proof, paint: ReportPaint): string {
  const refusing = {
    ...proof,
    findings: proof.findings.filter(({ severity, accepted }) => severity !== 'info' && !accepted),
    attestation: null,
  }
  return [verdictLine(proof, paint), ...indented(runLines(proof, paint)), ...indented(findingLines(refusing, paint).slice(1))].join('\n')
}

function verdictLine(proof: Proof, paint: ReportPaint): string {
  const word = paint.bold(proof.verdict === 'proven' ? 'proven' : 'not proven')
  return `${paintVerdict(proof, word, paint)}  ${visibleLine(whyOf(proof))}`
}

const MOST_PREPARE_LINES = 12

function prepareLines(proof: Proof, { bold, dim }: ReportPaint): string[] {
  const failure = prepareFailure(proof, MOST_PREPARE_LINES)
  return failure ? [`${bold('Dependencies')} ${dim(`by ${visibleLine(failure.command)}`)}`, ...failure.lines.map(visibleLine)] : []
}

function runLines(proof: Proof, paint: ReportPaint): string[] {
  const { runs, gates, command } = proof
  const { dim, bold } = paint
  if (runs.length === 0) return []
  const names = runs.map(({ name, n }) => (runs.some(other => other.name === name && other.n > 1) ? `${name} ${n}` : name))
  const width = Math.max(0, ...names.map(name => name.length), ...gates.map(({ name }) => name.length))
  const views = viewRuns(proof)
  const said = views.map(({ colour, wanted, asWanted }) => (asWanted ? colour : `${colour}, must be ${wanted}`))
  const saidWidth = Math.max(0, ...said.map(how => how.length))
  const ran = views.map(({ run, asWanted }, at) => {
    const how = (said[at] ?? '').padEnd(saidWidth)
    const ended = run.exit === null ? (run.signal ?? run.reason ?? 'no exit') : `exit ${run.exit}`
    const more = [ended, testsOf(run), timeOf(run.duration_ms)].filter(Boolean).join(', ')
    return `${mark(asWanted, paint)} ${(names[at] ?? '').padEnd(width)}  ${how}  ${dim(visibleLine(more))}`
  })
  const judged = gates.map(({ name, score, threshold, passed }) => {
    return `${mark(passed, paint)} ${visibleLine(name).padEnd(width)}  ${score} of 100  ${dim(`needs ${threshold}`)}`
  })
  return [`${bold('Runs')} ${dim(`of ${visibleLine(command.text)}`)}`, ...ran, ...judged]
}

function findingLines({ findings, causes, result, attestation }: Proof, paint: ReportPaint): string[] {
  if (findings.length === 0) return []
  const open = findings.find(({ severity, accepted }) => severity === 'review' && !accepted)
  const canAccept = open && attestation && causes.every(cause => cause === 'review')
  return [
    paint.bold('Findings'),
    ...orderedFindings(findings).flatMap(finding => findingLine(finding, paint)),
    ...(canAccept
      ? [`${paint.glyph.arrow} to accept it as someone else: qed proof accept ${result.commit.slice(0, 12)} ${open.id} --reason "why"`]
      : []),
  ]
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

function placeLines({ bundle, attestation, result }: Proof, { bold, glyph, home }: ReportPaint): string[] {
  if (bundle === '') return []
  return [
    `${bold('Evidence')} ${visibleLine(underHome(bundle, home))}`,
    ...(attestation
      ? [
          `signed by ${attestation.keyid.slice(0, 16)} for tree ${result.tree.slice(0, 12)}`,
          `${glyph.arrow} to share it: ${NOTES_PUSH}`,
          `${glyph.arrow} to check it: qed proof check ${result.commit.slice(0, 12)}`,
        ]
      : []),
  ]
}

function keptLines({ environment: { kept }, base, result }: Proof, { bold }: ReportPaint): string[] {
  if (!Array.isArray(kept)) return []
  const named: Record<string, string> = { [result.commit]: 'result', [base.commit]: 'base' }
  const places = (kept as unknown[]).filter(isPlainObject).map(({ commit, path }) => {
    return `${(named[String(commit)] ?? 'made up').padEnd(7)}  ${visibleLine(String(path))}`
  })
  return [bold('Kept'), ...places]
}

const indented = (lines: string[]): string[] => lines.map(line => `  ${line}`)

const section = ([head, ...lines]: string[]): string => (head === undefined ? '' : [head, ...lines.map(line => `  ${line}`)].join('\n'))

const mark = (ok: boolean, { good, bad, glyph }: ReportPaint): string => (ok ? good(glyph.ok) : bad(glyph.fail))

type Listed = Pick<Proof, 'verdict' | 'causes' | 'ended_at'> & { command: string; commit: string }

/** One line each: the verdict, the commit by which it can be asked for, when, and as much of the command as there is room for. */
export function proofList(items: readonly Listed[], paint: ReportPaint): string {
  const { dim, width } = paint
  if (items.length === 0) return dim('No proofs yet. Make one: qed prove -- <command>')
  const words = items.map(shortVerdict)
  const longest = Math.max(...words.map(word => word.length))
  return items
    .map((item, i) => {
      const facts = `${item.commit.slice(0, 10)}  ${item.ended_at.slice(0, 16).replace('T', ' ')}`
      const room = width - longest - facts.length - 6
      return `${paintVerdict(item, (words[i] ?? '').padEnd(longest), paint)}  ${dim(facts)}  ${shortened(visibleLine(item.command), room)}`
    })
    .join('\n')
}

function shortVerdict({ verdict, causes }: Pick<Proof, 'verdict' | 'causes'>): string {
  if (verdict === 'proven') return 'proven'
  if (speaksAgainst({ causes })) return 'not proven'
  return causes.every(cause => cause === 'review') ? 'waits for review' : 'not measured'
}

function paintVerdict(proof: Pick<Proof, 'verdict' | 'causes'>, word: string, { good, bad, careful, glyph }: ReportPaint): string {
  if (proof.verdict === 'proven') return good(`${glyph.ok} ${word}`)
  return speaksAgainst(proof) ? bad(`${glyph.fail} ${word}`) : careful(`${glyph.warn} ${word}`)
}

const shortened = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 3)}...`)

const MOST_PATHS = 20

/** The outcome of a check: the word first, then what decided it, then what was looked at. */
export function checkForPerson(checked: CheckResult, { bold, dim, good, bad, glyph }: ReportPaint): string {
  const { outcome, reason, proven, target, changed, signer, evidence, log } = checked
  const isGood = outcome === 'valid'
  const head = `${(isGood ? good : bad)(`${isGood ? glyph.ok : glyph.fail} ${bold(outcome)}`)}  ${visibleLine(reason)}`
  const looked = proven && [
    `  proven  commit ${proven.commit}`,
    `          tree   ${proven.tree}`,
    target.tree !== null && target.tree !== proven.tree && `  this    tree   ${target.tree}`,
    signer && `  signer  ${signer.keyid}${signer.name === null ? '' : ` (${visibleLine(signer.name)})`}`,
    dim(`  evidence ${evidence}, log ${log}`),
  ]
  const paths = changed.slice(0, MOST_PATHS).map(path => `  ${glyph.bullet} ${visibleLine(path)}`)
  const rest =
    changed.length > MOST_PATHS ? [dim(`  and ${changed.length - MOST_PATHS} more: git diff ${proven?.tree} ${target.tree}`)] : []
  return [head, ...(looked ?? []).filter(line => typeof line === 'string'), ...paths, ...rest].join('\n')
}
