import type { Finding, Severity } from '../../kernel/finding.ts'
import type { ProofFacts } from '../facts.ts'
import { FINDINGS, type FindingName } from './catalogue.ts'

/** One way in which work can be wrong. Pure; never throws. */
export type FindingRule = (facts: ProofFacts) => Finding[]

interface Found {
  path?: string | undefined
  line?: number | undefined
  said?: string
  measured?: string
  /** Where the table gives a range of severities. */
  severity?: Severity
  /** Where the table's own words can be made more exact. */
  hint?: string
}

/** A finding with the severity and the hint of the table, unless the case says otherwise. */
export function finding(id: FindingName, { path, line, said, measured, severity, hint }: Found = {}): Finding {
  const row = FINDINGS[id]
  return {
    id,
    severity: severity ?? row.severity,
    ...(path !== undefined && { path }),
    ...(line !== undefined && { line }),
    ...(said !== undefined && { said }),
    ...(measured !== undefined && { measured }),
    hint: hint ?? row.hint,
  }
}
