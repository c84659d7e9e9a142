import type { Finding } from '../../kernel/finding.ts'
import type { FileSide, ProofFacts } from '../facts.ts'
import { type FileView, viewsOf } from '../findings/view.ts'
import { functionsOf } from '../source/functions.ts'
import type { Source } from '../source/source.ts'
import { type Audit, at, auditOf, type Deduction } from './audit.ts'
import { repeatedBlocks } from './repeated-blocks.ts'

export interface CodeauditInput {
  facts: ProofFacts
  /** All findings of the proof, with their acceptances. */
  findings: readonly Finding[]
  /** What the configured lint and type commands say about the result and not about the base. */
  diagnostics: readonly string[]
}

const LONG_FILE = 500
const LONG_FUNCTION = 80
const DIAGNOSTIC_POINTS = 3
const MOST_DIAGNOSTIC_POINTS = 30

/** F-23: how much worse the change makes the code. */
export function codeaudit({ facts, findings, diagnostics }: CodeauditInput): Audit {
  const views = viewsOf(facts).filter(({ now }) => now !== null)
  return auditOf([
    ...findings.filter(isAcceptedReview).map(({ id, path, line }) => ({ points: 5, text: `Accepted: ${id}${at(path, line)}` })),
    ...byId(findings, 'code.suppression', 5),
    ...byId(findings, 'code.stub', 10),
    ...views.filter(grewLong).map(({ path }) => ({ points: 5, text: `Grown past ${LONG_FILE} lines:${at(path)}` })),
    ...longFunctions(views).map(({ name, path, line }) => ({
      points: 5,
      text: `Longer than ${LONG_FUNCTION} lines: ${name},${at(path, line)}`,
    })),
    ...repeatedBlocks(views).map(({ path, line, other }) => ({
      points: 5,
      text: `The same as${at(other.path, other.line)}:${at(path, line)}`,
    })),
    ...diagnosticDeductions(diagnostics),
  ])
}

function isAcceptedReview({ severity, accepted }: Finding): boolean {
  return severity === 'review' && accepted !== undefined
}

function byId(findings: readonly Finding[], id: string, points: number): Deduction[] {
  return findings.filter(finding => finding.id === id).map(({ path, line }) => ({ points, text: `${id}${at(path, line)}` }))
}

function grewLong({ before, after }: FileView): boolean {
  return lineCount(after) > LONG_FILE && lineCount(before) <= LONG_FILE
}

function lineCount(side: FileSide | null): number {
  const text = side?.text ?? ''
  return text.split('\n').length - (text.endsWith('\n') || text === '' ? 1 : 0)
}

/** Functions that the change adds; one that only moved, unchanged, is not new. */
function longFunctions(views: readonly FileView[]): { name: string; path: string; line: number }[] {
  const known = new Set(views.flatMap(({ old }) => (old ? functionsOf(old).map(({ body }) => bodyText(old, body)) : [])))
  return views.flatMap(({ path, old, now }) => {
    if (!now) return []
    const names = new Set(old ? functionsOf(old).map(({ name }) => name) : [])
    return functionsOf(now)
      .filter(({ name, line, body }) => {
        const length = now.lineAt(body.end) - line + 1
        return length > LONG_FUNCTION && !names.has(name) && !known.has(bodyText(now, body))
      })
      .map(({ name, line }) => ({ name, path, line: line + 1 }))
  })
}

function bodyText({ text }: Source, { start, end }: { start: number; end: number }): string {
  return text.slice(start, end)
}

function diagnosticDeductions(diagnostics: readonly string[]): Deduction[] {
  const most = MOST_DIAGNOSTIC_POINTS / DIAGNOSTIC_POINTS
  return diagnostics.slice(0, most).map(text => ({ points: DIAGNOSTIC_POINTS, text }))
}
