import { compileWords, type LevelTest } from './rules/command-pattern.ts'
import type { ReadShell, ShellSegment } from './shell-port.ts'
import { type PolicyOperation, PREFLIGHT_STEPS, type PreflightRecord, type PreflightStep } from './types.ts'

// A destructive operation inside a brief: rehearse → state what is lost → show that it is listed → back up and restore the
// backup once → execute → verify. Each step is recorded before the next, all with the digest of the same operation.

export type PreflightState = { kind: 'complete' } | { kind: 'unlisted'; why: string } | { kind: 'incomplete'; why: string }

const BEFORE_EXECUTION: PreflightStep[] = PREFLIGHT_STEPS.slice(0, PREFLIGHT_STEPS.indexOf('executed'))

/** Whether the destructive segments of an operation may be executed now. */
export function preflightState(operation: PolicyOperation, segments: ShellSegment[], digest: string, readShell: ReadShell): PreflightState {
  const { brief, preflight } = operation.context
  const unlisted = segments.find(segment => !isListed(segment, brief?.destructive ?? []))
  if (unlisted) return { kind: 'unlisted', why: `The brief does not list this destructive command: ${unlisted.text}` }
  if (!preflight) return { kind: 'incomplete', why: 'No step of the preparation is recorded. Start with a dry run.' }
  const why = wrongOrder(preflight, digest) ?? wrongContent(preflight, operation, readShell)
  return why === null ? { kind: 'complete' } : { kind: 'incomplete', why }
}

/** Whether one destructive segment is among the patterns that a brief lists. */
function isListed(segment: ShellSegment, patterns: string[]): boolean {
  const innermost = segment.levels.at(-1)
  if (!innermost) return false
  return patterns.map(compileListed).some(fits => fits(innermost, { programByName: false, staticOnly: true }))
}

function compileListed(pattern: string): LevelTest {
  try {
    return compileWords(pattern)
  } catch {
    return () => false
  }
}

/** Which step is missing, out of order or about another operation; null where all before execution stand. */
function wrongOrder(record: PreflightRecord, digest: string): string | null {
  if (record.operation_digest !== digest) return 'The preparation is about another operation.'
  for (const [i, wanted] of BEFORE_EXECUTION.entries()) {
    const found = record.steps[i]
    if (!found) return `The step ${wanted} is missing.`
    if (found.step !== wanted) return `The step ${wanted} should come where ${found.step} stands.`
    if (found.digest !== digest) return `The step ${wanted} is about another operation.`
  }
  const further = record.steps[BEFORE_EXECUTION.length]
  return further ? `It was ${further.step} already; prepare it anew.` : null
}

function wrongContent(record: PreflightRecord, operation: PolicyOperation, readShell: ReadShell): string | null {
  const { dry_run, blast_radius = '', backup } = record
  if (!dry_run) return 'The dry run is not recorded.'
  const rehearsal = readShell(dry_run.command, { cwd: operation.cwd, facts: operation.facts })
  const harms = rehearsal.facets.some(facet => facet.flags.includes('destructive') || facet.flags.includes('catastrophic'))
  if (rehearsal.grammar === 'unknown' || harms) return 'The dry run is itself destructive or cannot be read.'
  if (dry_run.exit !== 0) return `The dry run ended with ${dry_run.exit}.`
  if (!/^[^\n\r]{1,200}$/.test(blast_radius)) return 'What would be lost must be said in one line of at most 200 characters.'
  if (!backup) return 'There is no backup.'
  return backup.restored_sha256 === backup.sha256 ? null : 'The backup was not restored to the same content.'
}
