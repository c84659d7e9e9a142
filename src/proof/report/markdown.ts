import type { Finding } from '../../kernel/finding.ts'
import { visibleLine } from '../../kernel/visible.ts'
import { NOTES_FETCH } from '../attest/notes.ts'
import type { Proof } from '../proof.ts'
import { PROOF_LIMITS } from './limits.ts'
import { orderedFindings, placeOf, testsOf, timeOf, viewRuns, whyOf } from './summary.ts'

/** For a comment on a pull request. What comes from the work stands in code spans, so that it can neither link, mention nor draw. */
export function proofAsMarkdown(proof: Proof): string {
  return `${[verdict(proof), runs(proof), gates(proof), findings(proof), evidence(proof), limits()].filter(part => part !== '').join('\n\n')}\n`
}

function verdict(proof: Proof): string {
  const { command, base, result } = proof
  const [mark, word] = proof.verdict === 'proven' ? ['✅', 'Proven'] : ['❌', 'Not proven']
  return [
    `### ${mark} ${word}: ${plain(whyOf(proof))}`,
    '',
    `${code(command.text)} on tree ${code(result.tree)}, against base ${code(base.commit)}.`,
  ].join('\n')
}

function runs(proof: Proof): string {
  const rows = viewRuns(proof).map(({ run, colour, wanted, asWanted }) => [
    `${asWanted ? '✅' : '❌'} ${run.name} ${run.n}`,
    colour,
    wanted,
    `${run.exit ?? run.reason ?? '–'}`,
    testsOf(run) || '–',
    timeOf(run.duration_ms),
  ])
  return table(['run', 'is', 'must be', 'exit', 'tests', 'time'], rows)
}

function gates({ gates }: Proof): string {
  if (gates.length === 0) return ''
  const rows = gates.map(({ name, score, threshold, passed }) => [`${passed ? '✅' : '❌'} ${code(name)}`, `${score}`, `${threshold}`])
  return table(['gate', 'score', 'needs'], rows)
}

function findings({ findings }: Proof): string {
  if (findings.length === 0) return 'No findings.'
  return table(['finding', 'where', 'what to do'], orderedFindings(findings).map(row))
}

function row(finding: Finding): string[] {
  const { id, severity, hint, said, measured, accepted } = finding
  const place = placeOf(finding)
  const more = [
    accepted ? `accepted by ${code(accepted.by)}: ${code(accepted.reason)}` : plain(hint),
    said !== undefined && `said ${code(said)}`,
    measured !== undefined && `measured ${code(measured)}`,
  ]
  return [`${severity} \`${id}\``, place === '' ? '–' : code(place), more.filter(part => typeof part === 'string').join('<br>')]
}

function evidence({ proof_id, attestation, result }: Proof): string {
  if (attestation === null) return `Proof ${code(proof_id)}, not signed.`
  return [
    `Proof ${code(proof_id)}, signed by ${code(attestation.keyid)}. To check it:`,
    '',
    '```sh',
    NOTES_FETCH,
    `qed proof check ${result.commit}`,
    '```',
  ].join('\n')
}

function limits(): string {
  return [
    '<details><summary>What this does not show</summary>',
    '',
    PROOF_LIMITS.map(text => `- ${text}`).join('\n'),
    '',
    '</details>',
  ].join('\n')
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

const MOST_CODE = 300

/** A code span that nothing can end early, also inside a table. */
function code(text: string): string {
  const shown = visibleLine(text.length > MOST_CODE ? `${text.slice(0, MOST_CODE)}…` : text).replaceAll('|', '\\|')
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return longest > 0 || shown.trim() === '' ? `${fence} ${shown || ' '} ${fence}` : `${fence}${shown}${fence}`
}

/** Our own words, in which a name of the work may stand. */
function plain(text: string): string {
  return visibleLine(text).replace(/[\\`*_{}[\]<>#|@!~]/g, '\\$&')
}
